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
	// Answer is the answer in a few sentences, the plainest one first; Answers
	// are these sentences one by one.
	Answer  string
	Answers []Sentence
	// Zone is where the times in the texts are shown: the zone of the schedule.
	Zone *time.Location
	// Facts are what the answer rests on: first what belongs to no instant,
	// then the oldest first. Some may lie ahead.
	Facts []Fact
}

// Sentence is something said, in English and for readers who say it in another
// language.
type Sentence struct {
	// Code names the sentence: it stands for one text with its gaps, whatever
	// fills them. Codes keep their meaning; new ones may come.
	Code string
	// Text is the sentence in English.
	Text string
	// Values are what was put into the sentence, by name: instants in RFC 3339,
	// durations such as "1m30s", states and causes as the API has them. What
	// the server says in Chinese too stands under the name with "_zh" as well.
	Values map[string]string
}

// Fact is one thing that is known: a sentence without a full stop.
type Fact struct {
	Sentence
	// At is the instant of it; zero when it belongs to none.
	At   time.Time
	Kind Kind
	// Run is the run that it is about; zero for none and for the run asked about.
	Run int64
}

// inChinese ends the name of a value that is the Chinese of another one.
const inChinese = "_zh"

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

// tell adds a fact, which is what say returns for the same code, text and values.
func (s *story) tell(at time.Time, kind Kind, code, text string, values ...any) *Fact {
	s.facts = append(s.facts, Fact{At: at, Kind: kind, Sentence: s.say(code, text, values...)})
	return &s.facts[len(s.facts)-1]
}

// say returns a sentence. Names in braces in the text stand for the values that
// follow: names and values in turn; what the text does not name is left out. Code and text are written out where say and
// tell are called: a test reads the list of all sentences from the source.
func (s *story) say(code, text string, values ...any) Sentence {
	said := Sentence{Code: code}
	pairs := make([]string, 0, len(values))
	for i := 0; i+1 < len(values); i += 2 {
		name := fmt.Sprint(values[i])
		if !strings.Contains(text, "{"+strings.TrimSuffix(name, inChinese)+"}") {
			continue
		}
		pairs = append(pairs, "{"+name+"}", s.show(values[i+1]))
		if said.Values == nil {
			said.Values = make(map[string]string, len(values)/2)
		}
		said.Values[name] = plain(values[i+1])
	}
	said.Text = strings.NewReplacer(pairs...).Replace(text)
	return said
}

// show returns a value for people.
func (s *story) show(value any) string {
	switch v := value.(type) {
	case time.Time:
		return v.In(s.zone).Format("2006-01-02 15:04:05.999 -07:00")
	case time.Duration:
		return lasting(v)
	case interface{ show() string }:
		return v.show()
	case until:
		if v.at.IsZero() {
			return "until it is lifted"
		}
		return "until " + s.show(v.at)
	case slotOf:
		if v.at.IsZero() {
			return ""
		}
		return " for the slot " + s.show(v.at)
	case string:
		return quote(v)
	}
	return fmt.Sprint(value)
}

// plain returns a value for programs.
func plain(value any) string {
	switch v := value.(type) {
	case time.Time:
		if v.IsZero() {
			return ""
		}
		return v.UTC().Format("2006-01-02T15:04:05.000Z07:00")
	case until:
		return plain(v.at)
	case slotOf:
		return plain(v.at)
	case because:
		return quote(string(v))
	case interface{ plain() string }:
		return v.plain()
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

// explanation ends the story.
func (s *story) explanation(question string, answers []Sentence) Explanation {
	slices.SortStableFunc(s.facts, func(a, b Fact) int {
		if a.At.IsZero() || b.At.IsZero() {
			return cmp.Compare(truth(!a.At.IsZero()), truth(!b.At.IsZero()))
		}
		return a.At.Compare(b.At)
	})
	texts := make([]string, len(answers))
	for i := range answers {
		texts[i] = answers[i].Text
	}
	return Explanation{Question: question, Answer: strings.Join(texts, " "), Answers: answers, Zone: s.zone, Facts: s.facts}
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
		s.tell(time.Time{}, KindNoExecutor, "no_executor", "no executor of group {group} is alive now", "group", group)
		return
	}
	const shown = 5
	list := names{more: len(alive) > shown}
	for _, e := range alive[:min(len(alive), shown)] {
		list.of = append(list.of, e.Address)
	}
	values := []any{"count", len(alive), "group", group, "executors", list}
	if len(alive) == 1 {
		s.tell(time.Time{}, KindExecutors, "executor_of_group", "{count} executor of group {group} is alive now: {executors}", values...)
		return
	}
	s.tell(time.Time{}, KindExecutors, "executors_of_group", "{count} executors of group {group} are alive now: {executors}", values...)
}
