package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// The types of placeholder values whose English text differs from the API's value: show
// returns the English, plain the value for programs.

// because is a reason or message from elsewhere. A sentence shows it after a colon, or
// nothing when it is empty; programs get the text.
type because string

func (b because) render() string {
	text := quote(string(b))
	if text == "" {
		return ""
	}
	return ": " + text
}

// itSaid is because for a run's own message.
type itSaid string

func (m itSaid) render() string {
	if text := because(m).render(); text != "" {
		return "; it said" + text
	}
	return ""
}

func (m itSaid) plain() string { return quote(string(m)) }

// ended describes in the past tense how a final state was reached.
type ended job.State

func (e ended) render() string {
	switch state := job.State(e); state {
	case job.TimedOut:
		return "ran out of time"
	case job.Cancelled, job.Lost, job.Skipped:
		return "was " + string(state)
	default:
		return string(state)
	}
}

// is describes a present state.
type is job.State

func (i is) render() string {
	if state := job.State(i); state.Final() {
		return ended(state).render()
	}
	return "is " + stateWords(job.State(i))
}

// named is a state as a word.
type named job.State

func (n named) render() string { return stateWords(job.State(n)) }

// since is the start of a delay: "slot", "made" for the creation of the run, "attempt" for
// the end of the attempt before.
type since string

func (f since) render() string {
	switch f {
	case "slot":
		return "its slot"
	case "made":
		return "it was made"
	}
	return "the end of the attempt before"
}

// tries and shards are counts; programs get the number.
type (
	tries  int
	shards int
)

func (n tries) render() string {
	if n == 1 {
		return "one attempt"
	}
	return fmt.Sprintf("%d attempts", int(n))
}

func (n tries) plain() string { return fmt.Sprint(int(n)) }

func (n shards) render() string {
	if n == 1 {
		return "1 shard"
	}
	return fmt.Sprintf("%d shards", int(n))
}

func (n shards) plain() string { return fmt.Sprint(int(n)) }

// runsAhead is a number of runs that is counted up to MaxAhead; programs get the number.
type runsAhead int

func (n runsAhead) render() string {
	switch {
	case n >= MaxAhead:
		return fmt.Sprintf("%d or more runs", MaxAhead)
	case n == 1:
		return "1 run"
	}
	return fmt.Sprintf("%d runs", int(n))
}

func (n runsAhead) plain() string { return fmt.Sprint(int(n)) }

// names is a list of names that may be incomplete.
type names struct {
	of   []string
	more bool
}

func (n names) render() string {
	list := strings.Join(n.of, ", ")
	if n.more {
		list += " and others"
	}
	return list
}

func (n names) plain() string {
	list := strings.Join(n.of, ", ")
	if n.more {
		list += ", …"
	}
	return list
}

// until is the end of a pause; a pause without an end has the zero value, and programs get
// nothing.
type until struct{ at time.Time }

// slotOf is the slot of a run; zero, with no value for programs, when it has none.
type slotOf struct{ at time.Time }
