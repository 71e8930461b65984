package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

// values returns samples by their names and labels.
func values(samples []observe.Sample) map[string]float64 {
	got := map[string]float64{}
	for _, s := range samples {
		name := s.Name
		for _, l := range s.Labels {
			name += " " + l[1]
		}
		got[name] = s.Value
	}
	return got
}

func TestExecutorSamples(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	alive := job.Executor{Group: "a", LeaseUntil: now.Add(time.Minute)}
	with := func(change func(e *job.Executor)) job.Executor {
		e := alive
		change(&e)
		return e
	}
	got := values(executorSamples([]job.Executor{
		alive, alive, with(func(e *job.Executor) { e.Draining = true }), with(func(e *job.Executor) { e.Unreachable = "no route" }),
		with(func(e *job.Executor) { e.Group, e.LeaseUntil = "b", now.Add(-time.Minute) }),
	}, now))
	want := map[string]float64{
		"executor_leases": 5, "executors a alive": 2, "executors a draining": 1, "executors a unreachable": 1, "executors b silent": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	many := []job.Executor{alive, alive}
	for i := range groupLimit + 9 {
		many = append(many, with(func(e *job.Executor) { e.Group = fmt.Sprintf("g%03d", i) }))
	}
	got = values(executorSamples(many, now))
	if len(got) != groupLimit+2 || got["executors a alive"] != 2 || got["executors other alive"] != 10 {
		t.Errorf("there are %d samples, a has %v, the others %v", len(got), got["executors a alive"], got["executors other alive"])
	}
	if breakers := values(breakerSamples([]breaker.Status{{State: breaker.Open}, {State: breaker.Open}})); breakers["breakers open"] != 2 || len(breakers) != 3 {
		t.Errorf("the breakers are %v", breakers)
	}
}

// TestEveryKindHasAResult: no answer of an executor is counted under a name that was
// not made at the start, which would be a counter of nothing.
func TestEveryKindHasAResult(t *testing.T) {
	t.Parallel()
	m := newMeters()
	for _, err := range []error{
		nil, errors.New("odd"), job.Errorf(job.Duplicate, ""), job.Errorf(job.Refused, ""), job.Errorf(job.Full, ""), job.Errorf(job.Unreachable, ""),
		job.Errorf(job.Ambiguous, ""), job.Errorf(job.Unavailable, ""), job.Errorf(job.Invalid, ""), job.Errorf(job.Forbidden, ""), context.DeadlineExceeded,
	} {
		m.sent(time.Millisecond, err) // a name that is not there panics
	}
	for _, outcome := range job.States() {
		if !outcome.Final() {
			continue
		}
		for _, cause := range causes() {
			m.ended(&completer.Completion{Outcome: outcome, RunState: outcome, Cause: cause, StartedAt: time.Now(), EndedAt: time.Now()})
		}
		m.gaveUp(&job.Run{State: outcome})
	}
	m.ended(&completer.Completion{Outcome: job.Failed, RunState: job.WaitingRetry})
	m.ended(&completer.Completion{Waiting: true, RunState: job.Cancelled, Cause: job.CauseManual})
	m.plan(planner.Planned{Jobs: 3, Runs: 2, Misfired: 1, Skipped: 1})
	m.claim(map[int64]int{1: 2, 2: 3})
	m.committed(4, time.Millisecond, nil)
	m.committed(1, time.Millisecond, job.Errorf(job.Unavailable, "full"))
	m.committed(1, time.Millisecond, job.Errorf(job.Conflict, "taken"))
}

// TestPathIsCountedWithoutMemory: counting costs the path of a run no garbage.
func TestPathIsCountedWithoutMemory(t *testing.T) {
	m := newMeters()
	now := time.Now()
	c := completer.Completion{Outcome: job.Succeeded, RunState: job.Succeeded, Cause: job.CauseSchedule, StartedAt: now, EndedAt: now}
	rows := map[int64]int{1: 2}
	if n := testing.AllocsPerRun(1000, func() {
		m.sent(time.Millisecond, nil)
		m.ended(&c)
		m.claim(rows)
		m.committed(3, time.Millisecond, nil)
	}); n > 0 {
		t.Errorf("a run allocates %v times", n)
	}
}

// mouth says what it is told to for every question.
type mouth struct{ err error }

func (m mouth) CompleteAs(context.Context, job.Caller, []job.Outcome) error { return m.err }
func (m mouth) Register(context.Context, job.Beat) error                    { return m.err }
func (m mouth) Deregister(context.Context, string, string) error            { return m.err }
func (m mouth) Send(context.Context, words.Channel, words.Message) error    { return m.err }
func (m mouth) ReadLog(context.Context, string, int64, time.Time, int) (job.LogPage, error) {
	return job.LogPage{}, m.err
}

func (m mouth) KeepLogs(_ context.Context, _ logbook.Pack, kept []logbook.Kept) ([]bool, error) {
	return make([]bool, len(kept)), m.err
}

// TestCountedDoorsPassOn: who counts changes nothing of what is said.
func TestCountedDoorsPassOn(t *testing.T) {
	t.Parallel()
	m := newMeters()
	ctx := t.Context()
	for _, want := range []error{nil, job.Errorf(job.Refused, "no"), errors.New("odd")} {
		next := mouth{want}
		_, read := countedOrigin{next, m}.ReadLog(ctx, "", 1, time.Time{}, 1)
		_, kept := countedShelf{next, m}.KeepLogs(ctx, logbook.Pack{Name: "p", Size: 3}, []logbook.Kept{{Chunks: []logbook.Chunk{{Lines: 2, Raw: 9}}}})
		for i, got := range []error{
			counted{next, dialectXXL, m}.CompleteAs(ctx, job.Caller{}, make([]job.Outcome, 2)),
			countedLeases{next, dialectNative, m}.Register(ctx, job.Beat{}), countedLeases{next, dialectNative, m}.Deregister(ctx, "", ""),
			countedSender{next, m}.Send(ctx, words.Channel{Kind: words.Slack}, words.Message{}), read, kept,
		} {
			if !errors.Is(got, want) {
				t.Errorf("%d: %v became %v", i, want, got)
			}
		}
	}
	page := render(t, observe.NewMetrics(observe.Config{Meters: m.all}))
	for _, line := range []string{
		`orth_callbacks_total{dialect="xxl-job",result="ok"} 1`, `orth_callbacks_total{dialect="xxl-job",result="refused"} 1`,
		`orth_callbacks_total{dialect="xxl-job",result="failed"} 1`, `orth_callback_outcomes_total{dialect="xxl-job"} 6`,
		`orth_registrations_total{dialect="native",result="refused"} 2`, `orth_alarm_messages_total{channel="slack",result="failed"} 2`,
		`orth_logbook_asks_total 3`, `orth_logbook_ask_failures_total 2`, `orth_logbook_packs_total 1`, `orth_logbook_lines_total 0`,
	} {
		if !strings.Contains(page, line+"\n") {
			t.Errorf("the page has no line %s", line)
		}
	}
}
