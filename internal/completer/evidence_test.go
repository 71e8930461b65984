package completer

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// over returns an attempt that has ended some time ago.
func over(state job.State, message string, ago time.Duration) Snapshot {
	s := open(1, 0)
	s.Attempt.State, s.Attempt.Message, s.Attempt.EndedAt = state, message, time.Now().Add(-ago)
	s.Run.State = state
	return s
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", job.MaxEvidenceMessage+1)
	began := time.Now()
	for _, test := range []struct {
		name     string
		recorded Snapshot
		outcome  job.Outcome
		want     []job.Evidence
	}{
		{
			"a success after a loss", over(job.Lost, "the executor is gone", 3*time.Minute),
			job.Outcome{State: job.Succeeded, Message: "all done"},
			[]job.Evidence{{State: job.Succeeded, Message: "all done", Note: "came 3m0s after the attempt was recorded as lost"}},
		},
		{
			"other words for the same end", over(job.TimedOut, "a", 0),
			job.Outcome{State: job.TimedOut, Message: "b"},
			[]job.Evidence{{State: job.TimedOut, Message: "b", Note: "came at the moment when the attempt was recorded as timed out"}},
		},
		{"the same again", over(job.Succeeded, "a", time.Hour), job.Outcome{State: job.Succeeded, Message: "a"}, nil},
		{
			"the same again, cut as it was recorded", over(job.Failed, job.Clean(long+long, job.MaxMessage), time.Hour),
			job.Outcome{State: job.Failed, Message: long + long},
			nil,
		},
		{"what a user had cancelled", over(job.Cancelled, "killed", time.Hour), job.Outcome{State: job.Failed, Message: "killed"}, nil},
		{
			"the kill of a cancelled run", over(job.Cancelled, "not reported", time.Hour),
			job.Outcome{State: job.Failed, Message: "killed"},
			[]job.Evidence{{State: job.Failed, Message: "killed", Note: "came 1h0m0s after the attempt was recorded as cancelled"}},
		},
		{
			"an end that is none", over(job.Succeeded, "", time.Hour),
			job.Outcome{State: job.Running},
			[]job.Evidence{{
				State: job.Failed, Message: `the executor reported the state "running", which is not an end`,
				Note: "came 1h0m0s after the attempt was recorded as succeeded",
			}},
		},
		{
			"a long message", over(job.Lost, "", time.Hour),
			job.Outcome{State: job.Failed, Message: long},
			[]job.Evidence{{
				State: job.Failed, Message: job.Clean(long, job.MaxEvidenceMessage), Note: "came 1h0m0s after the attempt was recorded as lost",
			}},
		},
		{"the verdict of a server", over(job.Succeeded, "", time.Hour), job.Outcome{State: job.Lost, Over: "deadline"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.recorded.Attempt.EndedAt = test.recorded.Attempt.EndedAt.Add(time.Since(began)) // a busy machine comes late to it
			store, told := newRows(test.recorded), &seen{}
			test.outcome.AttemptID = 70
			complete(t, New(Config{Store: store, IDs: store, Hooks: told.hooks()}), test.outcome)
			for i := range test.want {
				test.want[i].AttemptID = 70
			}
			if diff := cmp.Diff(test.want, store.evidence, cmpopts.IgnoreFields(job.Evidence{}, "At")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, e := range store.evidence {
				if utf8.RuneCountInString(e.Message) > job.MaxEvidenceMessage || time.Since(e.At) > time.Minute {
					t.Errorf("kept %+v", e)
				}
			}
			if store.of(70).Run.State != test.recorded.Run.State || len(told.completed) != 0 || store.commits != 0 {
				t.Errorf("the run became %s", store.of(70).Run.State)
			}
		})
	}
}

// Many executors and servers say different things of the same attempts at once:
// of each one is recorded, and the others are evidence against that one.
func TestEvidenceOfARace(t *testing.T) {
	t.Parallel()
	const attempts, callers = 20, 100
	store, told := newRows(), &seen{}
	for i := range int64(attempts) {
		s := open(1, 0)
		s.Attempt.ID, s.Run.ID, s.Run.AttemptID = i+1, i+1, i+1
		s.Children = []Child{on(kid(4), job.ChildOnAlways, "{{result}}")}
		store.snapshots[s.Attempt.ID] = s
	}
	c := New(Config{Store: store, IDs: store, Hooks: told.hooks()})
	ends := []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Lost}
	var calls sync.WaitGroup
	for caller := range callers {
		outcomes := make([]job.Outcome, attempts)
		for i := range outcomes {
			outcomes[i] = job.Outcome{AttemptID: int64(i + 1), State: ends[caller%4], Message: fmt.Sprintf("%d says %s", caller, ends[caller%4])}
		}
		calls.Go(func() {
			if err := c.Complete(t.Context(), outcomes); err != nil {
				t.Errorf("Complete: %v", err)
			}
		})
	}
	calls.Wait()
	if len(told.completed) != attempts || len(store.children) != attempts {
		t.Fatalf("%d attempts were recorded, %d children started, want %d", len(told.completed), len(store.children), attempts)
	}
	for _, s := range store.snapshots {
		child := store.children[[2]int64{4, s.Run.ID}]
		if child.Param == nil || *child.Param != s.Run.Message || s.Attempt.State != s.Run.State {
			t.Errorf("run %d: %s with %q, its child has %v", s.Run.ID, s.Run.State, s.Run.Message, child.Param)
		}
	}
	for _, e := range store.evidence {
		if s := store.of(e.AttemptID); e.Message == s.Attempt.Message || !strings.Contains(e.Note, "recorded as") {
			t.Errorf("evidence %+v against %q", e, s.Attempt.Message)
		}
	}
	if len(store.evidence) < callers-attempts {
		t.Errorf("%d pieces of evidence", len(store.evidence))
	}
}

func TestEvidenceIsSentAgain(t *testing.T) {
	t.Parallel()
	store := newRows(over(job.Lost, "", time.Hour))
	c := New(Config{Store: store, IDs: store})
	outcome := []job.Outcome{{AttemptID: 70, State: job.Succeeded}}
	store.between = func() { store.fail = job.Errorf(job.Unavailable, "away") }
	if err := c.Complete(t.Context(), outcome); !job.Is(err, job.Unavailable) {
		t.Fatalf("Complete: %v", err)
	}
	store.between, store.fail = nil, nil
	complete(t, c, outcome...)
	complete(t, c, outcome...)
	if len(store.evidence) != 1 {
		t.Errorf("evidence %+v", store.evidence)
	}
}

// The deadline of a run ends it, also while it waits for its next try.
func TestOverEndsTheRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		attempt, run  job.State
		current       int64
		want          job.State
		message       string
		children      int
		changedFields bool
	}{
		{"while it runs", job.Running, job.Running, 70, job.Lost, "too late", 1, true},
		{"while it waits for a retry", job.Failed, job.WaitingRetry, 70, job.Lost, "boom", 1, true},
		{"while it waits for an executor", job.Failed, job.Queued, 70, job.Lost, "boom", 1, true},
		{"while another attempt runs", job.Failed, job.Running, 71, job.Running, "boom", 0, false},
		{"when it is over", job.Succeeded, job.Succeeded, 70, job.Succeeded, "boom", 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(1, 0)
			s.Attempt.State, s.Run.State, s.Run.AttemptID, s.Run.Message = test.attempt, test.run, test.current, "boom"
			s.Retry, s.StopAfter = retry.Policy{Tries: 5}, 9
			s.Children = []Child{kid(4), on(kid(5), job.ChildOnFailure, "{{result}}")}
			store, told := newRows(s), &seen{}
			outcome := job.Outcome{AttemptID: 70, State: job.Lost, Message: "too late", Over: "the deadline has passed"}
			c := New(Config{Store: store, IDs: store, Hooks: told.hooks()})
			complete(t, c, outcome)
			complete(t, c, outcome)
			got := store.of(70)
			if got.Run.State != test.want || got.Run.Message != test.message || len(store.children) != test.children || len(store.evidence) != 0 {
				t.Errorf("the run is %s with %q, %d children, evidence %v", got.Run.State, got.Run.Message, len(store.children), store.evidence)
			}
			for _, child := range store.children {
				if *child.Param != test.message {
					t.Errorf("the child is told %q", *child.Param)
				}
			}
			if test.changedFields && (got.Run.Reason != "the deadline has passed" || told.completed[0].Failures != StreakGrows) {
				t.Errorf("because %q, %+v", got.Run.Reason, told.completed)
			}
			if test.attempt.Final() && got.Attempt.State != test.attempt {
				t.Errorf("the attempt became %s", got.Attempt.State)
			}
		})
	}
}
