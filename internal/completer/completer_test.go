package completer

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// seen records what the hooks are told.
type seen struct {
	mu        sync.Mutex
	completed []Completion
	ready     int
}

func (s *seen) hooks() Hooks {
	return Hooks{
		Ready: func(time.Time) { s.mu.Lock(); s.ready++; s.mu.Unlock() },
		Completed: func(c Completion) {
			s.mu.Lock()
			s.completed = append(s.completed, c)
			s.mu.Unlock()
		},
	}
}

func complete(t *testing.T, c *Completer, outcomes ...job.Outcome) {
	t.Helper()
	if err := c.Complete(t.Context(), outcomes); err != nil {
		t.Fatalf("Complete: %v", err)
	}
}

func TestCompleteOnce(t *testing.T) {
	t.Parallel()
	s := open(1, 0)
	s.Children = []Child{kid(4), kid(5)}
	store, told := newRows(s), &seen{}
	c := New(Config{Store: store, IDs: store, Hooks: told.hooks()})
	complete(t, c,
		job.Outcome{AttemptID: 70, State: job.Succeeded, Message: "first"},
		job.Outcome{AttemptID: 70, State: job.Failed, Message: "contradiction in the same batch"},
		job.Outcome{AttemptID: 999, State: job.Failed, Message: "an attempt that nobody knows"},
	)
	complete(t, c, job.Outcome{AttemptID: 70, State: job.Failed, Message: "late"})
	got := store.of(70)
	if got.Run.State != job.Succeeded || got.Attempt.State != job.Succeeded || got.Run.Message != "first" {
		t.Errorf("run ended as %s with %q", got.Run.State, got.Run.Message)
	}
	if len(store.children) != 2 || len(told.completed) != 1 || told.ready != 1 {
		t.Errorf("%d children, %d completions and %d announcements, want 2, 1 and 1",
			len(store.children), len(told.completed), told.ready)
	}
	for key, child := range store.children {
		if child.ID == 0 || key[1] != 7 {
			t.Errorf("child %+v has no id or no parent", child)
		}
	}
	if store.commits != 1 || store.offered != 1 {
		t.Errorf("%d commits with %d completions; what contradicts and what comes late need none", store.commits, store.offered)
	}
}

func TestCompleteAnnouncesRetry(t *testing.T) {
	t.Parallel()
	s := open(1, 0)
	s.Retry = retry.Policy{Tries: 1, Initial: time.Minute}
	store := newRows(s)
	var at time.Time
	c := New(Config{Store: store, IDs: store, Hooks: Hooks{Ready: func(ready time.Time) { at = ready }}})
	complete(t, c, job.Outcome{AttemptID: 70, State: job.Failed})
	got := store.of(70).Run
	if got.State != job.WaitingRetry || !at.Equal(got.ReadyAt) || time.Until(at) < 50*time.Second {
		t.Errorf("state %s, ready at %s, announced for %s", got.State, got.ReadyAt, at)
	}
}

// Two servers get contradicting outcomes at once: both read an open attempt.
func TestCompleteRace(t *testing.T) {
	t.Parallel()
	s := open(1, 0)
	s.Children = []Child{kid(4)}
	store, told := newRows(s), &seen{}
	c := New(Config{Store: store, IDs: store, Hooks: told.hooks()})
	const callers = 50
	var reads, calls sync.WaitGroup
	reads.Add(callers)
	var read atomic.Int32
	store.between = func() {
		if read.Add(1) <= callers { // what comes later looks for what won
			reads.Done()
			reads.Wait()
		}
	}
	for i := range callers {
		state := []job.State{job.Succeeded, job.Failed}[i%2]
		calls.Go(func() {
			if err := c.Complete(t.Context(), []job.Outcome{{AttemptID: 70, State: state}}); err != nil {
				t.Errorf("Complete: %v", err)
			}
		})
	}
	calls.Wait()
	if len(told.completed) != 1 {
		t.Fatalf("%d completions took effect, want 1", len(told.completed))
	}
	want := 0
	if told.completed[0].Outcome == job.Succeeded {
		want = 1
	}
	if got := store.of(70); got.Run.State != told.completed[0].Outcome || len(store.children) != want {
		t.Errorf("state %s with %d children after %s", got.Run.State, len(store.children), told.completed[0].Outcome)
	}
}

func TestCompleteErrors(t *testing.T) {
	t.Parallel()
	s := open(1, 0)
	s.Children = []Child{kid(4)}
	store, told := newRows(s), &seen{}
	c := New(Config{Store: store, IDs: store, Hooks: told.hooks()})
	away := job.Errorf(job.Unavailable, "the database is away")
	outcome := []job.Outcome{{AttemptID: 70, State: job.Succeeded}}
	for _, fail := range []func(error){
		func(err error) { store.fail = err }, func(err error) { store.idsFail = err },
	} {
		fail(away)
		if err := c.Complete(t.Context(), outcome); !job.Is(err, job.Unavailable) {
			t.Fatalf("Complete while the store is away: %v", err)
		}
		fail(nil)
	}
	if len(told.completed) != 0 || store.of(70).Run.State != job.Running {
		t.Fatal("something was recorded although the store was away")
	}
	complete(t, c, outcome...)
	if len(told.completed) != 1 || len(store.children) != 1 {
		t.Errorf("%d completions, %d children after the store came back", len(told.completed), len(store.children))
	}
}

func TestCompleteManyInBatches(t *testing.T) {
	t.Parallel()
	const n = 2*maxBatch + 1
	store := newRows()
	outcomes := make([]job.Outcome, n)
	for i := range outcomes {
		s := open(1, 0)
		s.Attempt.ID = int64(i + 1)
		store.snapshots[s.Attempt.ID] = s
		outcomes[i] = job.Outcome{AttemptID: s.Attempt.ID, State: job.Succeeded}
	}
	complete(t, New(Config{Store: store, IDs: store}), outcomes...)
	if store.commits != 3 {
		t.Errorf("%d commits for %d outcomes, want 3", store.commits, n)
	}
	for _, s := range store.snapshots {
		if s.Run.State != job.Succeeded {
			t.Fatalf("attempt %d is %s", s.Attempt.ID, s.Run.State)
		}
	}
}

func TestCompleteCleansMessages(t *testing.T) {
	t.Parallel()
	store := newRows(open(1, 0))
	complete(t, New(Config{Store: store, IDs: store}), job.Outcome{
		AttemptID: 70, State: job.Failed, Message: "a\x00b\xff" + strings.Repeat("x", job.MaxMessage),
	})
	got := store.of(70).Run.Message
	if want := "a\uFFFDb\uFFFDxx"; got[:len(want)] != want {
		t.Errorf("message begins with %q", got[:len(want)])
	}
	want := fmt.Sprintf("x… [cut: for the rest see the log, 'orth run log %d']", store.of(70).Run.ID)
	if !strings.HasSuffix(got, want) || utf8.RuneCountInString(got) != job.MaxMessage {
		t.Errorf("a cut message of %d characters does not end in %q", utf8.RuneCountInString(got), want)
	}
}

func TestCompleteNothing(t *testing.T) {
	t.Parallel()
	store := newRows()
	store.fail = errors.New("must not be asked")
	if err := New(Config{Store: store, IDs: store}).Complete(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(0, store.commits); diff != "" {
		t.Error(diff)
	}
}

// What an executor sends says that it had the attempt; the verdict of a server does not.
func TestReported(t *testing.T) {
	t.Parallel()
	for reported, send := range map[bool]func(c *Completer, o []job.Outcome) error{
		false: func(c *Completer, o []job.Outcome) error { return c.Complete(t.Context(), o) },
		true:  func(c *Completer, o []job.Outcome) error { return c.CompleteAs(t.Context(), job.Caller{}, o) },
	} {
		store := newRows(open(1, 0))
		told := &seen{}
		if err := send(New(Config{Store: store, IDs: store, Hooks: told.hooks()}), []job.Outcome{{AttemptID: 70, State: job.Failed}}); err != nil {
			t.Fatal(err)
		}
		if len(told.completed) != 1 || told.completed[0].Reported != reported {
			t.Errorf("reported %t: %+v", reported, told.completed)
		}
	}
}
