package completer

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// burials records which runs became dead letters.
type burials struct {
	mu   sync.Mutex
	runs []string
}

func (b *burials) note(c Completion) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs = append(b.runs, fmt.Sprintf("run %d of job %d %s", c.RunID, c.JobID, c.RunState))
}

// Only the last bad end of a run buries it, and none that is wanted.
func TestBuried(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		state   job.State
		retries int
		cause   job.Cause
		over    string
		want    []string
	}{
		{"success", job.Succeeded, 0, job.CauseSchedule, "", nil},
		{"failure", job.Failed, 0, job.CauseSchedule, "", []string{"run 7 of job 3 failed"}},
		{"timeout", job.TimedOut, 0, job.CauseManual, "", []string{"run 7 of job 3 timed_out"}},
		{"loss", job.Lost, 0, job.CauseRedrive, "", []string{"run 7 of job 3 lost"}},
		{"cancelled", job.Cancelled, 0, job.CauseSchedule, "", nil},
		{"skipped", job.Skipped, 0, job.CauseSchedule, "", nil},
		{"tried again", job.Failed, 1, job.CauseSchedule, "", nil},
		{"over in spite of retries", job.Lost, 1, job.CauseSchedule, "the deadline has passed", []string{"run 7 of job 3 lost"}},
		{"a part of a run", job.Failed, 0, job.CauseShard, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(1, 0)
			s.Attempt.Address = "http://1"
			s.Run.Cause, s.Retry = c.cause, retry.Policy{Tries: c.retries, Initial: time.Minute}
			store, told := newRows(s), &burials{}
			room := New(Config{Store: store, IDs: store, Hooks: Hooks{Buried: told.note}})
			end := job.Outcome{AttemptID: s.Attempt.ID, State: c.state, Over: c.over}
			complete(t, room, end, end)
			complete(t, room, end) // what is told twice is buried once
			if !slices.Equal(told.runs, c.want) {
				t.Errorf("buried: %v, want %v", told.runs, c.want)
			}
		})
	}
}

// However many hear of an end at once, it buries once.
func TestBuriedOnce(t *testing.T) {
	t.Parallel()
	s := open(1, 0)
	store, told := newRows(s), &burials{}
	var wg sync.WaitGroup
	for range 20 {
		room := New(Config{Store: store, IDs: store, Hooks: Hooks{Buried: told.note}})
		wg.Go(func() {
			_ = room.Complete(t.Context(), []job.Outcome{{AttemptID: s.Attempt.ID, State: job.Lost}})
		})
	}
	wg.Wait()
	if len(told.runs) != 1 {
		t.Errorf("buried: %v", told.runs)
	}
}

// The commit may make another end of a run that is being stopped.
func TestStoppedIsNotDead(t *testing.T) {
	t.Parallel()
	c := Completion{RunState: job.Failed, Outcome: job.Failed, Cause: job.CauseSchedule}
	if !c.Dead() {
		t.Error("a failure is not dead")
	}
	if c.Stopped(); c.Dead() {
		t.Error("what a user stopped is dead")
	}
}
