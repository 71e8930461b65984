package completer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// stoppingRun returns attempt 70 of a run that a user stops and that would be
// tried again, had children and stopped its job.
func stoppingRun() Snapshot {
	s := open(1, 0)
	s.Attempt.Address = "http://1"
	s.Run.State, s.Run.Reason = job.Stopping, "wrong day"
	s.Retry, s.StopAfter, s.After = retry.Policy{Tries: 5}, 1, time.Minute
	always := kid(4)
	always.On = job.ChildOnAlways
	s.Children = []Child{kid(5), always}
	return s
}

func TestDecideWhileStopping(t *testing.T) {
	t.Parallel()
	next := now.Truncate(time.Millisecond).Add(time.Minute)
	for _, test := range []struct {
		name     string
		outcome  job.Outcome
		attempt  job.State
		run      job.State
		reason   string
		children int
	}{
		{"cancelled", job.Outcome{State: job.Cancelled}, job.Cancelled, job.Cancelled, "", 0},
		{"its handler died", job.Outcome{State: job.Failed}, job.Cancelled, job.Cancelled, "", 0},
		{"it timed out", job.Outcome{State: job.TimedOut}, job.Cancelled, job.Cancelled, "", 0},
		{"its executor is gone", job.Outcome{State: job.Lost}, job.Lost, job.Cancelled, "", 0},
		{"its executor was busy", job.Outcome{State: job.Skipped}, job.Skipped, job.Cancelled, "", 0},
		{"its deadline passed", job.Outcome{State: job.Lost, Over: "the deadline has passed"}, job.Lost, job.Cancelled, "", 0},
		{"a state that is no end", job.Outcome{State: job.Running}, job.Cancelled, job.Cancelled, "", 0},
		{"it reports a success", job.Outcome{State: job.Succeeded}, job.Succeeded, job.Cancelled, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := stoppingRun()
			test.outcome.AttemptID, test.outcome.Message = 70, "its own words"
			got := decide(s, test.outcome, now, 0)
			if got.Outcome != test.attempt || got.RunState != test.run || got.Reason != test.reason || len(got.Children) != test.children {
				t.Errorf("attempt %s, run %s (%q) with %d children", got.Outcome, got.RunState, got.Reason, len(got.Children))
			}
			if !got.NextAt.Equal(next) || got.StopReason != "" || got.Failures == StreakGrows {
				t.Errorf("the next firing is at %s, the job stops because of %q (%d)", got.NextAt, got.StopReason, got.Failures)
			}
			if test.outcome.State.Final() && got.Message != "its own words" {
				t.Errorf("the message is %q", got.Message)
			}
		})
	}
}

// A completion that was decided before the user came says the same as one that was
// decided afterwards.
func TestStoppedAfterDecided(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := job.Outcome{
			AttemptID: 70, Message: "its own words",
			State: rapid.SampledFrom([]job.State{job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost, job.Skipped}).Draw(t, "state"),
			Class: rapid.SampledFrom([]retry.Class{"", retry.ClassPermanent, retry.ClassResource}).Draw(t, "class"),
		}
		s := stoppingRun()
		want := decide(s, o, now, 0)
		s.Run.State, s.Run.Reason = job.Running, ""
		got := decide(s, o, now, 0)
		got.Stopped()
		want.NextAt, got.NextAt = time.Time{}, time.Time{} // the store sets it going
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-decided afterwards +stopped afterwards):\n%s", diff)
		}
		again := got
		again.Stopped()
		if diff := cmp.Diff(got, again); diff != "" {
			t.Errorf("twice (-once +twice):\n%s", diff)
		}
	})
}

// A late outcome of a run that was ended without a report is evidence when it says
// something else.
func TestStoppedAndReportedLate(t *testing.T) {
	t.Parallel()
	store := newRows(stoppingRun())
	c := New(Config{Store: store, IDs: store})
	complete(t, c, job.Outcome{AttemptID: 70, State: job.Cancelled, Message: "it has not reported the end"})
	complete(t, c, job.Outcome{AttemptID: 70, State: job.Succeeded, Message: "done"})
	if got := store.of(70).Run; got.State != job.Cancelled || got.Message != "it has not reported the end" {
		t.Errorf("run is %s: %q", got.State, got.Message)
	}
	if len(store.evidence) != 1 || store.evidence[0].State != job.Succeeded {
		t.Errorf("evidence %+v", store.evidence)
	}
}
