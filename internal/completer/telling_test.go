package completer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// asked is a Watch that wants some ends and notes all that it is asked about.
type asked struct {
	wants  Want
	events []alarm.Event
}

func (a *asked) Wants(e *alarm.Event) Want {
	a.events = append(a.events, *e)
	return a.wants
}

// of returns what the completer tells of an outcome.
func (a *asked) of(t *testing.T, s Snapshot, o job.Outcome) *alarm.Event {
	t.Helper()
	store := newRows(s)
	var told *alarm.Event
	c := New(Config{Store: store, IDs: store, Watch: a, Hooks: Hooks{Completed: func(c Completion) {
		if told = c.Told; told != nil && c.When != a.wants {
			t.Errorf("to be told %d, and %d was said", c.When, a.wants)
		}
	}}})
	o.AttemptID = s.Attempt.ID
	complete(t, c, o)
	return told
}

func TestTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		state job.State
		alter func(*Snapshot)
		want  alarm.Source // "" for nothing
		dead  bool
	}{
		{"a success", job.Succeeded, nil, alarm.SourceRun, false},
		{"a failure", job.Failed, nil, alarm.SourceRun, true},
		{"a timeout", job.TimedOut, nil, alarm.SourceRun, true},
		{"a loss", job.Lost, nil, alarm.SourceRun, true},
		{"a run that its executor did not want", job.Skipped, nil, alarm.SourceMissed, false},
		{"a run that a user cancelled", job.Cancelled, nil, "", false},
		{"a failure that is tried again", job.Failed, func(s *Snapshot) { s.Retry = retry.Policy{Tries: 2} }, "", false},
		{"a failure of a run that is stopped", job.Failed, func(s *Snapshot) { s.Run.State = job.Stopping }, "", false},
		{"a success of a run that is stopped", job.Succeeded, func(s *Snapshot) { s.Run.State = job.Stopping }, "", false},
		{"a shard", job.Failed, func(s *Snapshot) { s.Run.Cause, s.Run.CauseID = job.CauseShard, 5 }, "", false},
		{"a trial", job.Failed, func(s *Snapshot) { s.Run.Cause = job.CauseTrial }, "", false},
		{"a job that is gone", job.Failed, func(s *Snapshot) { s.Deleted = true }, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(1, 0)
			s.Attempt.AcceptedAt = time.Now().Add(-time.Minute)
			if c.alter != nil {
				c.alter(&s)
			}
			yes := &asked{wants: Always}
			told := yes.of(t, s, job.Outcome{State: c.state})
			if c.want == "" {
				if told != nil || len(yes.events) > 0 {
					t.Errorf("told %+v, asked about %+v", told, yes.events)
				}
				return
			}
			if told == nil || told.Source != c.want || told.State != c.state || told.Dead != c.dead || (told.Count == 1) != (c.want == alarm.SourceMissed) {
				t.Fatalf("told %+v", told)
			}
			took := c.state == job.Succeeded || c.state == job.Failed || c.state == job.TimedOut
			if long := told.Took >= time.Minute; long != took {
				t.Errorf("it took %s", told.Took)
			}
			if told := (&asked{wants: WhileFiring}).of(t, s, job.Outcome{State: c.state}); told == nil {
				t.Error("nothing is told that ends an alarm")
			}
			no := &asked{}
			if told := no.of(t, s, job.Outcome{State: c.state}); told != nil || len(no.events) != 1 {
				t.Errorf("told %+v although nobody wants it", told)
			}
		})
	}
}

// An event names all that rules ask about, and says what a person has to know.
func TestToldSaysAll(t *testing.T) {
	t.Parallel()
	s := open(3, 0)
	s.Retry = retry.Policy{Tries: 2}
	s.Run.GroupID = 9
	s.Attempt.TriggeredAt = time.Now().Add(-time.Minute)
	s.Subject = Subject{
		Namespace: "default", Key: "report", Title: "Report", Group: "reports", Labels: map[string]string{"team": "data"},
		Emails: []string{"a@example.com"},
	}
	got := (&asked{wants: Always}).of(t, s, job.Outcome{State: job.Failed, Message: "no space left"})
	if got == nil || got.At.IsZero() || got.Took < time.Minute {
		t.Fatalf("told %+v", got)
	}
	got.At, got.Took = time.Time{}, 0
	want := &alarm.Event{
		Source: alarm.SourceRun, Namespace: "default", GroupID: 9, Group: "reports", JobID: 3, JobKey: "report", JobTitle: "Report",
		Labels: map[string]string{"team": "data"}, Emails: []string{"a@example.com"}, RunID: 7, AttemptID: 70, State: job.Failed,
		Cause: job.CauseSchedule, Tries: 3, PlannedAt: slot, Dead: true, Message: "no space left", Reason: "gave up after 2 retries",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

// A run that gives up while it waits tells what its last attempt said, and not how
// long it took: that was told to nobody, and is long ago.
func TestToldOfGivingUp(t *testing.T) {
	t.Parallel()
	s := open(1, 0)
	s.Attempt.State, s.Attempt.AcceptedAt, s.Run.State, s.Run.Message = job.Failed, time.Now().Add(-time.Hour), job.WaitingRetry, "no space left"
	got := (&asked{wants: Always}).of(t, s, job.Outcome{State: job.Lost, Over: "its deadline has passed"})
	if got == nil || got.State != job.Lost || got.Message != "its deadline has passed; the last attempt: no space left" || got.Reason != "its deadline has passed" || got.Took != 0 {
		t.Errorf("told %+v", got)
	}
}

// Without a Watch nothing is told.
func TestNobodyWatches(t *testing.T) {
	t.Parallel()
	store := newRows(open(1, 0))
	c := New(Config{Store: store, IDs: store, Hooks: Hooks{Completed: func(c Completion) {
		if c.Told != nil {
			t.Errorf("told %+v", c.Told)
		}
	}}})
	complete(t, c, job.Outcome{AttemptID: 70, State: job.Failed})
}
