package completer

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

var causes = []job.Cause{
	job.CauseSchedule, job.CauseMisfire, job.CauseManual, job.CauseAPI, job.CauseParent, job.CauseBackfill, job.CauseRetry,
}

// The end of a run of the schedule, however it ended, sets the next firing of a
// fixed delay; the end of any other run does not.
func TestNextFiringOfAFixedDelay(t *testing.T) {
	t.Parallel()
	ended := now.Truncate(time.Millisecond)
	for _, cause := range causes {
		for _, state := range []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost, job.Skipped} {
			s := open(1, 0)
			s.Run.Cause, s.After = cause, 90*time.Second
			want := time.Time{}
			if cause == job.CauseSchedule || cause == job.CauseMisfire {
				want = ended.Add(90 * time.Second)
			}
			o := job.Outcome{AttemptID: 70, State: state}
			if got := decide(s, o, now, 0).NextAt; !got.Equal(want) {
				t.Errorf("%s run that %s: next firing %s, want %s", cause, state, got, want)
			}
			s.Deleted = true
			if got := decide(s, o, now, 0).NextAt; !got.IsZero() {
				t.Errorf("%s run of a deleted job: next firing %s", cause, got)
			}
			s.Deleted, s.After = false, 0
			if got := decide(s, o, now, 0).NextAt; !got.IsZero() {
				t.Errorf("%s run of a job without a delay: next firing %s", cause, got)
			}
		}
	}
	s := open(1, 0)
	s.After, s.Retry = time.Minute, retry.Policy{Tries: 1}
	if c := decide(s, job.Outcome{State: job.Failed}, now, 0); c.RunState != job.WaitingRetry || !c.NextAt.IsZero() {
		t.Errorf("the run is %s, and the next firing %s", c.RunState, c.NextAt)
	}
}

func TestFailuresInARow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		stopAfter int
		failures  int
		state     job.State
		streak    Streak
		reason    string
	}{
		{"a job that goes on for ever", 0, 9, job.Failed, StreakSame, ""},
		{"a success of one", 0, 9, job.Succeeded, StreakSame, ""},
		{"the first failure", 5, 0, job.Failed, StreakGrows, ""},
		{"the last one but one", 5, 3, job.TimedOut, StreakGrows, ""},
		{"the last one", 5, 4, job.Failed, StreakGrows, "stopped after 5 failed runs in a row; the last one: run 7 failed"},
		{"a timeout", 2, 1, job.TimedOut, StreakGrows, "stopped after 2 failed runs in a row; the last one: run 7 timed out"},
		{"a loss", 2, 1, job.Lost, StreakGrows, "stopped after 2 failed runs in a row; the last one: run 7 was lost"},
		{"one is too many", 1, 0, job.Failed, StreakGrows, "stopped after a failed run: run 7 failed"},
		{"the bound was lowered", 2, 7, job.Failed, StreakGrows, "stopped after 8 failed runs in a row; the last one: run 7 failed"},
		{"a success", 5, 4, job.Succeeded, StreakBroken, ""},
		{"a success after none", 5, 0, job.Succeeded, StreakBroken, ""},
		{"cancelled is no failure", 5, 4, job.Cancelled, StreakSame, ""},
		{"nor is skipped", 5, 4, job.Skipped, StreakSame, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, cause := range causes {
				s := open(1, 0)
				s.Run.Cause, s.StopAfter, s.Failures, s.After = cause, test.stopAfter, test.failures, time.Minute
				c := decide(s, job.Outcome{AttemptID: 70, State: test.state}, now, 0)
				if c.Failures != test.streak || c.StopReason != test.reason {
					t.Errorf("%s run: streak %d, %q; want %d, %q", cause, c.Failures, c.StopReason, test.streak, test.reason)
				}
				if c.StopReason != "" && !c.NextAt.IsZero() {
					t.Errorf("%s run: a job that stops has a next firing", cause)
				}
			}
			s := open(1, 0)
			s.StopAfter, s.Failures, s.Deleted = test.stopAfter, test.failures, true
			if c := decide(s, job.Outcome{State: test.state}, now, 0); c.Failures != StreakSame || c.StopReason != "" {
				t.Errorf("deleted job: streak %d, %q", c.Failures, c.StopReason)
			}
			s.Deleted, s.Retry = false, retry.Policy{Tries: 3}
			c := decide(s, job.Outcome{State: test.state}, now, 0)
			if c.RunState == job.WaitingRetry && (c.Failures != StreakSame || c.StopReason != "") {
				t.Errorf("before the last retry: streak %d, %q", c.Failures, c.StopReason)
			}
		})
	}
}

// checkSchedule holds for every completion.
func checkSchedule(t *rapid.T, s *Snapshot, c *Completion) {
	ofSchedule := s.Run.Cause == job.CauseSchedule || s.Run.Cause == job.CauseMisfire
	sets := s.After > 0 && ofSchedule && c.RunState.Final() && !s.Deleted && c.StopReason == ""
	switch {
	case sets == c.NextAt.IsZero():
		t.Fatalf("%s run that %s: next firing %s", s.Run.Cause, c.RunState, c.NextAt)
	case sets && c.NextAt.Sub(c.EndedAt.Truncate(time.Millisecond)) != s.After:
		t.Fatalf("next firing %s after the end, want %s", c.NextAt.Sub(c.EndedAt), s.After)
	case c.Failures != StreakSame && (s.StopAfter == 0 || s.Deleted || !c.RunState.Final()):
		t.Fatalf("the streak changes by %d", c.Failures)
	case (c.StopReason != "") != (c.Failures == StreakGrows && s.Failures+1 >= s.StopAfter):
		t.Fatalf("stop reason %q with %d failures of %d", c.StopReason, s.Failures, s.StopAfter)
	}
}

// The runs of a batch were read together; each is counted with those before it.
func TestFailuresInOneBatch(t *testing.T) {
	t.Parallel()
	states := []job.State{job.Failed, job.Failed, job.Succeeded, job.Failed, job.Cancelled, job.Failed, job.Lost, job.Failed}
	reasons := []string{
		"", "stopped after 3 failed runs in a row; the last one: run 102 failed", "", "", "", "",
		"stopped after 3 failed runs in a row; the last one: run 107 was lost",
		"stopped after 4 failed runs in a row; the last one: run 108 failed",
	}
	store, told := newRows(), &seen{}
	var outcomes []job.Outcome
	for i, state := range states {
		for _, of := range []int64{3, 4} { // the other job goes on for ever
			s := open(1, 0)
			s.Attempt.ID = int64(10*i) + of
			s.Run.ID, s.Run.JobID = int64(101+i), of
			if of == 3 {
				s.StopAfter, s.Failures = 3, 1
			}
			store.snapshots[s.Attempt.ID] = s
			outcomes = append(outcomes, job.Outcome{AttemptID: s.Attempt.ID, State: state})
		}
	}
	complete(t, New(Config{Store: store, IDs: store, Hooks: told.hooks()}), outcomes...)
	var got []string
	for _, c := range told.completed {
		switch {
		case c.AttemptID%10 == 3:
			got = append(got, c.StopReason)
		case c.StopReason != "" || c.Failures != StreakSame:
			t.Errorf("the other job: streak %d, %q", c.Failures, c.StopReason)
		}
	}
	if len(got) != len(reasons) {
		t.Fatalf("%d completions, want %d", len(got), len(reasons))
	}
	for i := range reasons {
		if got[i] != reasons[i] {
			t.Errorf("run %d %s: %q, want %q", 101+i, states[i], got[i], reasons[i])
		}
	}
}

func TestChildrenServeTheSlotOfTheirParent(t *testing.T) {
	t.Parallel()
	s := open(1, 0)
	s.Children = []Child{kid(4)}
	for _, planned := range []time.Time{slot, {}} {
		s.Run.PlannedAt = planned
		child := decide(s, job.Outcome{State: job.Succeeded}, now, 0).Children[0]
		if !child.PlannedAt.Equal(planned) || child.DueAt.IsZero() {
			t.Errorf("the child of a run for %s serves %s and is due at %s", planned, child.PlannedAt, child.DueAt)
		}
	}
}

// What is due of a job is planned before the job is stopped because its runs failed. Without
// that nothing is recorded, unless there is too much of it.
func TestDueFiringsComeBeforeTheStop(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		limit int
		err   error
		calls int
		state job.State
	}{
		{"not stopped", 0, nil, 0, job.Failed},
		{"stopped", 1, nil, 1, job.Failed},
		{"the store is away", 1, job.Errorf(job.Unavailable, "away"), 1, job.Running},
		{"too many are due", 1, job.Errorf(job.Full, "too many"), 1, job.Failed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(1, 0)
			s.StopAfter = test.limit
			store, calls := newRows(s), 0
			c := New(Config{Store: store, IDs: store, PlanDue: func(_ context.Context, jobID int64) error {
				if calls++; jobID != s.Run.JobID || store.commits > 0 {
					t.Errorf("job %d is planned after %d commits", jobID, store.commits)
				}
				return test.err
			}})
			err := c.Complete(t.Context(), []job.Outcome{{AttemptID: 70, State: job.Failed}})
			if got := store.of(70).Run.State; (err == nil) != (got == job.Failed) || got != test.state || calls != test.calls {
				t.Errorf("the run is %s after %d calls: %v", got, calls, err)
			}
		})
	}
}
