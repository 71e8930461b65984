// Package explain answers why: why a run is what it is, and why a job did or did
// not run at a time.
//
// It knows the words of jobs, runs and schedules, and how to put what is known
// about them into sentences in the order of time. It must never know a clock, a
// store or a door: every answer is a pure function of what was read and of now.
// Snapshots come in from the catalog; an Explanation goes out, for programs and
// for people. What nobody has kept is said to be unknown, never guessed.
package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/orthd/orth/job"
)

// Explanation answers one question.
type Explanation struct {
	Question string
	// Answer is the answer in a few sentences, the plainest one first.
	Answer string
	// Zone is where the times in the texts are shown: the zone of the schedule.
	Zone *time.Location
	// Facts are what the answer rests on: first what belongs to no instant,
	// then the oldest first. Some may lie ahead.
	Facts []Fact
}

// Fact is one thing that is known.
type Fact struct {
	// At is the instant of it; zero when it belongs to none.
	At   time.Time
	Kind Kind
	// Text is a sentence in English without a full stop.
	Text string
	// Run is the run that it is about; zero for none and for the run asked about.
	Run int64
	// Values are what was put into the sentence, by name: instants in RFC 3339,
	// durations such as "1m30s". A reader in another language makes a sentence
	// of its own of Kind and Values.
	Values map[string]string
}

// maxQuote is the most characters of what others wrote that a sentence repeats.
const maxQuote = 300

// story is an explanation in the making.
type story struct {
	zone  *time.Location
	now   time.Time
	facts []Fact
}

func newStory(j *job.Job, now time.Time) *story {
	return &story{zone: zoneOf(j), now: now}
}

// zoneOf returns the zone of a job's schedule; UTC when there is none.
func zoneOf(j *job.Job) *time.Location {
	if j == nil {
		return time.UTC
	}
	zone, err := time.LoadLocation(j.Schedule.Zone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// tell adds a fact. Names in braces in the text stand for the values that
// follow: names and values in turn.
func (s *story) tell(at time.Time, kind Kind, text string, values ...any) *Fact {
	f := Fact{At: at, Kind: kind, Text: s.say(text, values...)}
	for i := 0; i+1 < len(values); i += 2 {
		if f.Values == nil {
			f.Values = make(map[string]string, len(values)/2)
		}
		f.Values[fmt.Sprint(values[i])] = plain(values[i+1])
	}
	s.facts = append(s.facts, f)
	return &s.facts[len(s.facts)-1]
}

// say returns the text with its values.
func (s *story) say(text string, values ...any) string {
	pairs := make([]string, 0, len(values))
	for i := 0; i+1 < len(values); i += 2 {
		pairs = append(pairs, fmt.Sprintf("{%v}", values[i]), s.show(values[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// show returns a value for people.
func (s *story) show(value any) string {
	switch v := value.(type) {
	case time.Time:
		return v.In(s.zone).Format("2006-01-02 15:04:05.999 -07:00")
	case time.Duration:
		return lasting(v)
	case because:
		return v.show()
	case string:
		return quote(v)
	}
	return fmt.Sprint(value)
}

// plain returns a value for programs.
func plain(value any) string {
	if at, ok := value.(time.Time); ok {
		return at.UTC().Format("2006-01-02T15:04:05.000Z07:00")
	}
	return fmt.Sprint(value)
}

// quote returns what others wrote as a part of a sentence: one line, not too
// long, without the full stop at its end.
func quote(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	return strings.TrimSuffix(job.Clean(text, maxQuote), ".")
}

// lasting returns a duration in the precision that people want.
func lasting(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "-" + lasting(-max(d, -math.MaxInt64)) // clocks of two machines
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	case d < 2*day:
		text := d.Round(time.Second).String()
		if strings.HasSuffix(text, "m0s") {
			text = strings.TrimSuffix(text, "0s")
		}
		if strings.HasSuffix(text, "h0m") {
			text = strings.TrimSuffix(text, "0m")
		}
		return text
	}
	return fmt.Sprintf("%d days", d.Round(day)/day)
}

// because is what others said of a thing. In a sentence it stands behind a
// colon, and is nothing when it is empty.
type because string

func (b because) show() string {
	text := quote(string(b))
	if text == "" {
		return ""
	}
	return ": " + text
}

// explanation ends the story.
func (s *story) explanation(question, answer string) Explanation {
	slices.SortStableFunc(s.facts, func(a, b Fact) int {
		if a.At.IsZero() || b.At.IsZero() {
			return cmp.Compare(truth(!a.At.IsZero()), truth(!b.At.IsZero()))
		}
		return a.At.Compare(b.At)
	})
	return Explanation{Question: question, Answer: answer, Zone: s.zone, Facts: s.facts}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// executors tells who of the group is alive.
func (s *story) executors(group string, alive []job.Executor) {
	if len(alive) == 0 {
		s.tell(time.Time{}, KindNoExecutor, "no executor of group {group} is alive now", "group", group)
		return
	}
	const shown = 5
	names := make([]string, 0, shown)
	for _, e := range alive[:min(len(alive), shown)] {
		names = append(names, e.Address)
	}
	list, verb := strings.Join(names, ", "), "executors of group {group} are"
	if len(alive) == 1 {
		verb = "executor of group {group} is"
	}
	if len(alive) > shown {
		list += " and others"
	}
	s.tell(time.Time{}, KindExecutors, "{count} "+verb+" alive now: {executors}", "count", len(alive), "group", group, "executors", list)
}

// ended says how a state came to be, in the past tense.
func ended(state job.State) string {
	switch state {
	case job.TimedOut:
		return "ran out of time"
	case job.Cancelled, job.Lost, job.Skipped:
		return "was " + string(state)
	default:
		return string(state)
	}
}
