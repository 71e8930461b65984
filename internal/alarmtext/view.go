package alarmtext

import (
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/reason"
)

// Limits of what a template sees of a message.
const (
	maxList  = 100
	maxField = 4 << 10  // bytes of a text
	maxRaw   = 64 << 10 // bytes of a text that are cleaned at all
)

// instant is a time without the methods that take arguments: Format called on its own
// result doubles it each time.
type instant struct{ t time.Time }

// String implements [fmt.Stringer].
func (i instant) String() string { return i.t.String() }

// MarshalJSON implements json.Marshaler.
func (i instant) MarshalJSON() ([]byte, error) { return i.t.MarshalJSON() }

// messageView is a message as templates see it: the fields of alarm.Message under their
// names, without methods that take arguments, each text one clean line of at most
// maxField bytes, each list with at most maxList elements.
type messageView struct {
	ID, Dedup                 string
	Test                      bool
	State, Severity, Language string
	To                        []string
	Title, Text               string
	Namespace, Rule, Group    string
	At                        instant
	Link, AlarmLink           string
	Alarms, Events            int
	Items                     []item
	Reasons                   []shared
	More                      int
	Log                       []string
}

type item struct {
	At               instant
	Kind, Job, Group string
	RunID            int64
	State            string
	Tries            int
	Reason, Link     string
}

type shared struct {
	Text  string
	Count int
	Run   int64
}

func viewOf(m alarm.Message) messageView {
	line := func(s string) string { return Cut(Line(Cut(s, maxRaw)), maxField) }
	said := func(why string) string { return line(inLanguage(m.Language, why)) }
	v := messageView{
		ID: line(m.ID), Dedup: line(m.Dedup), Test: m.Test, State: string(m.State), Severity: string(m.Severity), Language: m.Language,
		Title: line(m.Title), Text: Cut(Clean(m.Text), maxText), Namespace: line(m.Namespace), Rule: line(m.Rule), Group: line(m.Group),
		At: instant{m.At}, Link: line(m.Link), AlarmLink: line(m.AlarmLink), Alarms: m.Alarms, Events: m.Events, More: m.More,
	}
	for _, to := range firstOf(m.To) {
		v.To = append(v.To, line(to))
	}
	for _, i := range firstOf(m.Items) {
		v.Items = append(v.Items, item{
			At: instant{i.At}, Kind: string(i.Kind), Job: line(i.Job), Group: line(i.Group), RunID: i.RunID, State: string(i.State),
			Tries: i.Tries, Reason: said(i.Reason), Link: line(i.Link),
		})
	}
	for _, r := range firstOf(m.Reasons) {
		v.Reasons = append(v.Reasons, shared{said(r.Text), r.Count, r.Run})
	}
	for _, text := range firstOf(m.Log) {
		// A line of a log keeps its blanks: tables and traces are read by them.
		v.Log = append(v.Log, Cut(oneLine(Clean(Cut(text, maxRaw))), maxField))
	}
	return v
}

// firstOf returns the first elements of a list, at most maxList.
func firstOf[T any](list []T) []T { return list[:min(len(list), maxList)] }

// inLanguage returns a reason in the language of a message. Texts of jobs and executors
// stay as they are.
func inLanguage(language, why string) string {
	if language == alarm.Chinese {
		if chinese, known := reason.Chinese(why); known {
			return chinese
		}
	}
	return why
}

// samples are messages of every kind that a template may meet.
func samples(language string) []alarm.Message {
	at := time.Date(2026, 11, 21, 2, 30, 5, 0, time.UTC)
	one := alarm.Message{
		ID: "n-1-1", Dedup: "a-1", State: alarm.Firing, Severity: alarm.Critical, Language: language,
		Namespace: "default", Rule: "nightly jobs", Group: "billing", At: at, Alarms: 1, Events: 1,
		Link: "https://orth.example.com/console/runs/812", AlarmLink: "https://orth.example.com/console/alarms/7",
		Items: []alarm.Item{{
			At: at, Kind: alarm.KindFailed, Job: "nightly-report", Group: "billing", RunID: 812, State: "failed", Tries: 3,
			Reason: "exit status 1: no space left on device", Link: "https://orth.example.com/console/runs/812",
		}},
		Reasons: []alarm.Reason{{Text: "exit status 1: no space left on device", Count: 1, Run: 812}},
		Log:     []string{"writing report.csv", "write report.csv: no space left on device"},
	}
	test := alarm.Message{
		ID: "t-1", Dedup: "t-1", Test: true, State: alarm.Firing, Severity: alarm.Info, Language: language, Namespace: "default", At: at,
		Link: "https://orth.example.com/console/alarms/channels",
	}
	over := one
	over.State, over.Log, over.Reasons = alarm.Resolved, nil, nil
	return []alarm.Message{test, one, over}
}
