package app

import (
	"context"
	"testing"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/notify"
	"github.com/orthd/orth/job"
)

// shelf is a store of definitions that never change.
type shelf struct {
	alarmconfig.Store
	alarmconfig.Reader
	stored alarmconfig.Stored
	away   error
}

func (s *shelf) AlarmBook(_ context.Context, known int64) (*alarmconfig.Stored, error) {
	if known == s.stored.Version || s.away != nil {
		return nil, s.away
	}
	return &s.stored, nil
}

func (s *shelf) AlarmChannels(context.Context, string) ([]alarmconfig.Channel, error) {
	return s.stored.Channels, s.away
}

func bookOf(t *testing.T, s *shelf) *alarmconfig.Book {
	t.Helper()
	s.stored.Version = 1
	channels, err := notify.New(notify.Config{})
	if err != nil {
		t.Fatal(err)
	}
	book, err := alarmconfig.New(alarmconfig.Config{
		Store: s, Reader: s, Kinds: channels, Sender: channels, Render: alarmtext.Render, CheckTemplate: alarmtext.Check,
	})
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func needsOf(t *testing.T, rules ...alarm.Rule) needs {
	t.Helper()
	for i := range rules {
		rules[i].Enabled = true
		if rules[i].Namespace == "" {
			rules[i].Namespace = "default"
		}
	}
	return needs{bookOf(t, &shelf{stored: alarmconfig.Stored{Rules: rules}})}
}

func TestNeedsOfEnds(t *testing.T) {
	t.Parallel()
	scope := alarm.Scope{Jobs: []string{"report"}}
	rule := func(kinds ...alarm.Kind) alarm.Rule { return alarm.Rule{Kinds: kinds, Scope: scope} }
	slow := rule(alarm.KindSlow)
	slow.Longer = time.Minute
	slower := rule(alarm.KindSlow)
	slower.Factor = 2
	elsewhere := rule(alarm.KindStreak)
	elsewhere.Namespace = "other"
	off := needs{bookOf(t, &shelf{stored: alarmconfig.Stored{Rules: []alarm.Rule{rule(alarm.KindFailed, alarm.KindStreak)}}})}
	never, while, always := completer.Never, completer.WhileFiring, completer.Always
	for _, c := range []struct {
		name             string
		needs            needs
		alter            func(*alarm.Event)
		good, bad, timed any
	}{
		{"no rule", needsOf(t), nil, never, never, false},
		{"a rule that is off", off, nil, never, never, false},
		{"failures", needsOf(t, rule(alarm.KindFailed)), nil, while, always, false},
		{"failures of another job", needsOf(t, rule(alarm.KindFailed)), func(e *alarm.Event) { e.JobKey = "x" }, never, never, false},
		{"failures elsewhere", needsOf(t, elsewhere), nil, never, never, false},
		{"streaks", needsOf(t, rule(alarm.KindFailed), rule(alarm.KindStreak)), nil, always, always, false},
		{"rates", needsOf(t, rule(alarm.KindRate)), nil, always, always, false},
		{"what is slow, and this is not", needsOf(t, slow), nil, while, always, false},
		{"what is slow, and this is", needsOf(t, slow), func(e *alarm.Event) { e.Took = time.Hour }, always, always, false},
		{"what is slower than usual", needsOf(t, slower), nil, always, always, true},
		{"backlogs", needsOf(t, alarm.Rule{Kinds: []alarm.Kind{alarm.KindBacklog}}), nil, never, never, false},
		{"mails that the job asks for", needsOf(t), func(e *alarm.Event) { e.Emails = []string{"a@example.com"} }, while, always, false},
	} {
		e := alarm.Event{Source: alarm.SourceRun, Namespace: "default", JobID: 3, JobKey: "report", Group: "g", State: job.Succeeded, Took: time.Second}
		if c.alter != nil {
			c.alter(&e)
		}
		if _, err := c.needs.book.Definitions(t.Context()); err != nil {
			t.Fatal(err)
		}
		bad := e
		bad.State = job.Failed
		if good, bad, timed := c.needs.Wants(&e), c.needs.Wants(&bad), c.needs.timed(&e); good != c.good || bad != c.bad || timed != c.timed {
			t.Errorf("%s: a success %v, a failure %v, timed %v; want %v, %v, %v", c.name, good, bad, timed, c.good, c.bad, c.timed)
		}
	}
}

// What cannot be known is written down, and not looked for.
func TestNeedsUnknown(t *testing.T) {
	t.Parallel()
	n := needs{bookOf(t, &shelf{away: job.Errorf(job.Unavailable, "away")})}
	e := alarm.Event{Source: alarm.SourceRun, Namespace: "default", JobKey: "report", Group: "g", State: job.Succeeded}
	if n.Wants(&e) != completer.Always || !n.timed(&e) || !n.wanted(&e) {
		t.Error("an end would be lost")
	}
	if least, _ := n.Backlog(&e); n.Within(&e) != 0 || least != 0 || n.Down(&e) {
		t.Error("there is something to be looked for")
	}
}

func TestNeedsOfWatch(t *testing.T) {
	t.Parallel()
	groups := func(kind alarm.Kind, keys ...string) alarm.Rule {
		return alarm.Rule{Kinds: []alarm.Kind{kind}, Scope: alarm.Scope{Groups: keys}}
	}
	late := func(within time.Duration, scope alarm.Scope) alarm.Rule {
		return alarm.Rule{Kinds: []alarm.Kind{alarm.KindNotStarted}, Within: within, Scope: scope}
	}
	many, more := groups(alarm.KindBacklog, "g"), groups(alarm.KindBacklog)
	many.Count, more.Count = 5000, 100
	n := needsOf(t, many, more, groups(alarm.KindGroupDown, "g*"),
		late(time.Hour, alarm.Scope{}), late(time.Minute, alarm.Scope{Jobs: []string{"report"}}),
		late(2*time.Minute, alarm.Scope{Labels: map[string]string{"team": "data"}}), late(time.Second, alarm.Scope{Groups: []string{"other"}}))
	if _, err := n.book.Definitions(t.Context()); err != nil {
		t.Fatal(err)
	}
	event := func(edit func(*alarm.Event)) *alarm.Event {
		e := alarm.Event{Namespace: "default", GroupID: 1, Group: "g"}
		edit(&e)
		return &e
	}
	for _, c := range []struct {
		name        string
		e           *alarm.Event
		within      time.Duration
		least, most int
		down        bool
	}{
		{"a group", event(func(*alarm.Event) {}), time.Minute, 100, 5000, true},
		{"another group", event(func(e *alarm.Event) { e.Group = "x" }), time.Minute, 100, 100, false},
		{"a group elsewhere", event(func(e *alarm.Event) { e.Namespace = "x" }), 0, 0, 0, false},
		{"the job", event(func(e *alarm.Event) { e.JobID, e.JobKey = 3, "report" }), time.Minute, 100, 5000, true},
		{"another job", event(func(e *alarm.Event) { e.JobID, e.JobKey = 4, "x" }), time.Hour, 100, 5000, true},
		{"a job with the label", event(func(e *alarm.Event) { e.JobID, e.JobKey, e.Labels = 4, "x", map[string]string{"team": "data"} }), 2 * time.Minute, 100, 5000, true},
	} {
		least, most := n.Backlog(c.e)
		if within, down := n.Within(c.e), n.Down(c.e); within != c.within || least != c.least || most != c.most || down != c.down {
			t.Errorf("%s: within %s, backlog %d to %d, down %v", c.name, within, least, most, down)
		}
	}
}
