package alerting

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// begin is when the events of a table begin.
func begin() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// play lets a rule hear events, each in a pass of its own at its time, as rows would
// carry what is between them, and returns what became of the alarms: a + and the
// reason for each event of one, a - for each end.
func play(r words.Rule, events []words.Event) (heard []string) {
	r = r.WithDefaults()
	defined := words.Definitions{Rules: []words.Rule{r}, Channels: []words.Channel{channel(1, "ops")}}
	alarms, states := map[alarmKey]*Alarm{}, map[alarmKey]*State{}
	cursor := Cursor{}
	for i := range events {
		e := &events[i]
		e.ID = int64(i + 1)
		d := newDesk(cursor, newRuleSet(&defined, e.At), e.At)
		d.alarms, d.states = alarms, states
		for _, s := range states {
			if !s.LookAt.IsZero() && !s.LookAt.After(e.At) {
				d.evaluateDue(s)
			}
		}
		if e.Source != "" {
			d.evaluate(e)
		}
		for _, entry := range d.entries {
			heard = append(heard, "+"+entry.Reason)
		}
		for _, a := range d.changedAlarms.list {
			if a.State == words.Resolved {
				heard = append(heard, "-")
			}
		}
		cursor = d.to
	}
	return heard
}

func TestMatch(t *testing.T) {
	t.Parallel()
	at := func(minutes float64, e words.Event, edit ...func(*words.Event)) words.Event {
		e.At = begin().Add(time.Duration(minutes * float64(time.Minute)))
		for _, fn := range edit {
			fn(&e)
		}
		return e
	}
	bad, good := failed(1, "x"), succeeded(1)
	state := func(s job.State) words.Event { e := bad; e.State = s; return e }
	took := func(d, p95 time.Duration) func(*words.Event) {
		return func(e *words.Event) { e.Took, e.P95 = d, p95 }
	}
	run := func(id int64) func(*words.Event) {
		return func(e *words.Event) { e.RunID, e.Since = id, begin() }
	}
	of := func(source words.Source) words.Event {
		e := bad
		e.Source, e.State = source, ""
		return e
	}
	pool := func(source words.Source, n int) words.Event {
		return words.Event{Source: source, Namespace: "default", GroupID: 7, Group: "workers", Count: n, Since: begin()}
	}
	kinds := func(all ...words.Kind) func(*words.Rule) { return func(r *words.Rule) { r.Kinds = all } }
	for _, test := range []struct {
		name   string
		rule   words.Rule
		events []words.Event
		want   []string
	}{
		{"bad ends", rule(), []words.Event{
			at(0, bad), at(1, state(job.TimedOut)), at(2, state(job.Lost)), at(3, state(job.Cancelled)), at(4, good), at(5, good),
		}, []string{"+x", "+x", "+x", "-", "-", "-"}},
		{"only its kinds", rule(kinds(words.KindLost)), []words.Event{at(0, bad), at(1, state(job.Lost))}, []string{"+x"}},
		{"another job", rule(func(r *words.Rule) { r.Scope.Jobs = []string{"other*"} }), []words.Event{at(0, bad)}, nil},
		{"another namespace", rule(), []words.Event{at(0, bad, func(e *words.Event) { e.Namespace = "b" })}, nil},
		{"switched off", rule(func(r *words.Rule) { r.Enabled = false }), []words.Event{at(0, bad)}, nil},
		{"a streak", rule(kinds(words.KindStreak)), []words.Event{
			at(0, bad), at(1, bad), at(2, good), at(3, bad), at(4, state(job.Cancelled)), at(5, bad), at(6, bad), at(7, bad), at(8, good), at(9, bad),
		}, []string{"+3 runs in a row ended badly; the last: x", "+4 runs in a row ended badly; the last: x", "-"}},
		{"a rate", rule(kinds(words.KindRate), func(r *words.Rule) { r.Window = 20 * time.Minute }), []words.Event{
			at(0, bad), at(1, bad), at(2, good), at(3, good), at(4, bad), at(5, good), at(6, good), at(20, bad), at(21, bad), at(22, bad),
			at(25.5, good), at(26, good), at(27, good), at(28, good),
		}, []string{
			"+3 of 5 runs within 20m0s ended badly; the last: x", "-",
			"+4 of 7 runs within 20m0s ended badly; the last: x", "-",
		}},
		{"too slow", rule(kinds(words.KindSlow), func(r *words.Rule) { r.Longer, r.Factor = time.Minute, 2 }), []words.Event{
			at(0, good, took(time.Second, 0)), at(1, good, took(time.Second, 400*time.Millisecond)), at(2, good, took(time.Second, time.Second)),
			at(3, bad, took(61*time.Second, time.Hour)),
		}, []string{"+it took 1s, more than 2 times the 400ms in which 95 % of the job's runs end", "-", "+it took 1m1s, longer than 1m0s"}},
		{"dead letters", rule(kinds(words.KindDeadLetter)), []words.Event{
			at(0, bad), at(1, bad, func(e *words.Event) { e.Dead = true }), at(2, good),
		}, []string{"+x", "-"}},
		{"missed", rule(kinds(words.KindMissed)), []words.Event{
			at(0, of(words.SourceMissed)), at(1, of(words.SourceMissed), func(e *words.Event) { e.Reason, e.Count = "", 4 }), at(2, bad), at(3, good),
		}, []string{"+x", "+4 firings were missed", "-"}},
		{"late, told when it is", rule(kinds(words.KindNotStarted)), []words.Event{
			at(1, of(words.SourceLate), run(11)), at(2, of(words.SourceLate), run(12)), at(3, of(words.SourceBegun), run(12)), at(4, words.Event{}),
			at(5, words.Event{}), at(6, words.Event{}), at(7, of(words.SourceBegun), run(11)),
		}, []string{"+run 11 is due since 2026-03-01T12:00:00Z, and no executor has begun it", "-"}},
		{"late already", rule(kinds(words.KindNotStarted)), []words.Event{
			at(6, of(words.SourceLate), run(11)), at(7, of(words.SourceLate), run(11)), at(8, of(words.SourceLate), run(12)),
			at(9, of(words.SourceBegun), run(11)), at(10, state(job.Lost), run(12)),
		}, []string{
			"+run 11 is due since 2026-03-01T12:00:00Z, and no executor has begun it",
			"+run 12 is due since 2026-03-01T12:00:00Z, and no executor has begun it", "-",
		}},
		{"a backlog", rule(kinds(words.KindBacklog)), []words.Event{
			at(0, pool(words.SourceWaiting, 999)), at(1, pool(words.SourceWaiting, 1000)), at(2, pool(words.SourceWaiting, 2000)),
			at(3, pool(words.SourceWaiting, 3000)), at(4, pool(words.SourceWaiting, 4000)), at(5, pool(words.SourceWaiting, 0)),
			at(6, pool(words.SourceWaiting, 1000)), at(7, pool(words.SourceWaiting, 10)), at(8.5, pool(words.SourceWaiting, 1000)),
		}, []string{"+3000 runs of group workers wait", "-"}},
		{"a group is down", rule(kinds(words.KindGroupDown)), []words.Event{
			at(0.5, pool(words.SourceDown, 0)), at(1, words.Event{}), at(2, words.Event{}), at(3, words.Event{}), at(4, pool(words.SourceUp, 0)),
			at(5, pool(words.SourceDown, 0), func(e *words.Event) { e.Since = e.At }), at(6, pool(words.SourceUp, 0)), at(9, words.Event{}),
		}, []string{"+group workers has no executor since 2026-03-01T12:00:00Z", "-"}},
		{
			"a rule of jobs hears nothing of groups", rule(func(r *words.Rule) { r.Scope.Jobs, r.Kinds = []string{"a"}, words.Kinds() }),
			[]words.Event{at(9, pool(words.SourceDown, 0))},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, play(test.rule, test.events)); diff != "" {
				t.Errorf("heard (-want +got):\n%s", diff)
			}
		})
	}
}

// What a rule remembers is bounded, however many runs there are.
func TestStateIsBounded(t *testing.T) {
	t.Parallel()
	var s State
	for i := range 10_000 {
		s.countRun(begin().Add(time.Duration(i)*time.Second), i%3 == 0, time.Hour)
		s.addLate(&words.Event{RunID: int64(i), At: begin()})
	}
	if len(s.Buckets) > maxBuckets || len(s.Late) != maxLate {
		t.Fatalf("%d buckets, %d late runs", len(s.Buckets), len(s.Late))
	}
	runs := 0
	for _, b := range s.Buckets {
		runs += b.Runs
	}
	if runs < 3600*9/10 || runs > 3600 {
		t.Errorf("the window has %d runs of an hour of one a second", runs)
	}
	for i := range maxLate {
		s.removeStarted(int64(i))
	}
	if s.Buckets = nil; !s.Empty() {
		t.Errorf("it remembers %+v", s)
	}
}

// A digest keeps the count of everything and the texts of much.
func TestDigestIsBounded(t *testing.T) {
	t.Parallel()
	var g, all Digest
	for i := range 1000 {
		g.addEvents(words.Item{RunID: int64(i), At: begin().Add(time.Duration(i)), Reason: strings.Repeat("x", i%250)}, 1)
	}
	all.merge(&g)
	all.merge(&g)
	var m words.Message
	all.copyInto(&m)
	if m.Events != 2000 || len(m.Items) != maxItems || len(m.Reasons) != maxReasons || m.Items[0].RunID != 999 {
		t.Errorf("%d events, %d items, %d reasons, the newest %d", m.Events, len(m.Items), len(m.Reasons), m.Items[0].RunID)
	}
	if m.More < 200-maxReasons+50 || m.Reasons[0].Count != 8 || len(g.Items) != maxItems {
		t.Errorf("%d more reasons, the first %+v", m.More, m.Reasons[0].Count)
	}
}
