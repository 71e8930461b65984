package alarmtext

import (
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/reason"
)

// view is a message as templates see it: the fields of alarm.Message under their
// names, without methods, each text one clean line.
type view struct {
	ID, Dedup                 string
	Test                      bool
	State, Severity, Language string
	To                        []string
	Title, Text               string
	Namespace, Rule, Group    string
	At                        time.Time
	Link, AlarmLink           string
	Alarms, Events            int
	Items                     []item
	Reasons                   []shared
	More                      int
	Log                       []string
}

type item struct {
	At               time.Time
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

func viewOf(m alarm.Message) view {
	said := func(why string) string { return Line(inLanguage(m.Language, why)) }
	v := view{
		ID: Line(m.ID), Dedup: Line(m.Dedup), Test: m.Test, State: string(m.State), Severity: string(m.Severity), Language: m.Language,
		Title: Line(m.Title), Text: Clean(m.Text), Namespace: Line(m.Namespace), Rule: Line(m.Rule), Group: Line(m.Group),
		At: m.At, Link: Line(m.Link), AlarmLink: Line(m.AlarmLink), Alarms: m.Alarms, Events: m.Events, More: m.More,
	}
	for _, to := range m.To {
		v.To = append(v.To, Line(to))
	}
	for _, i := range m.Items {
		v.Items = append(v.Items, item{
			At: i.At, Kind: string(i.Kind), Job: Line(i.Job), Group: Line(i.Group), RunID: i.RunID, State: string(i.State),
			Tries: i.Tries, Reason: said(i.Reason), Link: Line(i.Link),
		})
	}
	for _, r := range m.Reasons {
		v.Reasons = append(v.Reasons, shared{said(r.Text), r.Count, r.Run})
	}
	for _, line := range m.Log {
		// A line of a log keeps its blanks: tables and traces are read by them.
		v.Log = append(v.Log, oneLine(Clean(line)))
	}
	return v
}

// inLanguage returns a reason in the language of a message. What jobs and executors said
// stays as it is.
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
