// Package explain answers why a run is in its state, and why a job did or did not run at a
// time.
//
// It knows jobs, runs and schedules, and puts what is recorded about them into sentences in
// order of time. It must never depend on a clock, a store or an API: every answer is a pure
// function of the snapshot and of now. Snapshots come in from package queries; an Explanation
// goes out, for programs and for people. What was not recorded is reported as unknown,
// never guessed.
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

// Explanation is the answer to one question.
type Explanation struct {
	Question string
	// Answer is the answer in a few sentences, the most direct one first; Answers are these
	// sentences one by one.
	Answer  string
	Answers []Sentence
	// Zone is the zone of the times in the texts: that of the schedule.
	Zone *time.Location
	// Facts are the evidence for the answer: those without an instant first, then the
	// oldest first. Some may lie in the future.
	Facts []Fact
}

// Sentence is a text in English, with the code and values from which other languages render
// it.
type Sentence struct {
	// Code identifies the sentence template, whatever values fill it. Codes keep their
	// meaning; new ones may be added.
	Code string
	// Text is the sentence in English.
	Text string
	// Values are the values of the placeholders, by name: instants in RFC 3339, durations
	// such as "1m30s", states and causes as in the API. A value that the server also has in
	// Chinese is repeated under its name with the suffix "_zh".
	Values map[string]string
}

// Fact is one piece of evidence: a sentence without a full stop.
type Fact struct {
	Sentence
	// At is its instant; zero when it has none.
	At   time.Time
	Kind Kind
	// Run is the run of the fact; zero for none and for the run in question.
	Run int64
}

// inChinese is the name suffix of a value that is the Chinese form of another one.
const inChinese = "_zh"

// maxQuote bounds the characters that a sentence quotes from a message or reason.
const maxQuote = 300

// story is an explanation under construction.
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

// addFact adds a fact whose text is the sentence of the same code, text and values.
func (s *story) addFact(at time.Time, kind Kind, code, text string, values ...any) *Fact {
	s.facts = append(s.facts, Fact{At: at, Kind: kind, Sentence: s.sentence(code, text, values...)})
	return &s.facts[len(s.facts)-1]
}

// sentence returns a sentence. Names in braces in the text stand for the values that
// follow, which are names and values in turn; values that the text does not name are
// dropped. Callers of sentence and addFact pass code and text as literals: a test reads the
// list of all sentences from the source.
func (s *story) sentence(code, text string, values ...any) Sentence {
	answer := Sentence{Code: code}
	pairs := make([]string, 0, len(values))
	for i := 0; i+1 < len(values); i += 2 {
		name := fmt.Sprint(values[i])
		if !strings.Contains(text, "{"+strings.TrimSuffix(name, inChinese)+"}") {
			continue
		}
		pairs = append(pairs, "{"+name+"}", s.formatValue(values[i+1]))
		if answer.Values == nil {
			answer.Values = make(map[string]string, len(values)/2)
		}
		answer.Values[name] = plain(values[i+1])
	}
	answer.Text = strings.NewReplacer(pairs...).Replace(text)
	return answer
}

// formatValue formats a value for people.
func (s *story) formatValue(value any) string {
	switch v := value.(type) {
	case time.Time:
		return v.In(s.zone).Format("2006-01-02 15:04:05.999 -07:00")
	case time.Duration:
		return lasting(v)
	case interface{ render() string }:
		return v.render()
	case until:
		if v.at.IsZero() {
			return "until it is lifted"
		}
		return "until " + s.formatValue(v.at)
	case slotOf:
		if v.at.IsZero() {
			return ""
		}
		return " for the slot " + s.formatValue(v.at)
	case string:
		return quote(v)
	}
	return fmt.Sprint(value)
}

// plain formats a value for programs.
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

// quote prepares a foreign text for a sentence: one line, at most maxQuote characters,
// without the final full stop.
func quote(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	return strings.TrimSuffix(job.Clean(text, maxQuote), ".")
}

// lasting formats a duration with the precision that people need.
func lasting(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "-" + lasting(-max(d, -math.MaxInt64)) // the clocks of two machines may differ
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

// explanation finishes the story.
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

// executors reports the live executors of the group.
func (s *story) executors(group string, alive []job.Executor) {
	if len(alive) == 0 {
		s.addFact(time.Time{}, KindNoExecutor, "no_executor", "no executor of group {group} is alive now", "group", group)
		return
	}
	const shown = 5
	list := names{more: len(alive) > shown}
	for _, e := range alive[:min(len(alive), shown)] {
		list.of = append(list.of, e.Address)
	}
	values := []any{"count", len(alive), "group", group, "executors", list}
	if len(alive) == 1 {
		s.addFact(time.Time{}, KindExecutors, "executor_of_group", "{count} executor of group {group} is alive now: {executors}", values...)
		return
	}
	s.addFact(time.Time{}, KindExecutors, "executors_of_group", "{count} executors of group {group} are alive now: {executors}", values...)
}
