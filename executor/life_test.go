package executor_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// ears is a server that keeps the last beat, and accepts outcomes on demand.
type ears struct {
	url string

	mu    sync.Mutex
	beats []job.Beat
	takes bool
	tries int // of outcomes
}

func newEars(t *testing.T) *ears {
	t.Helper()
	e := new(ears)
	server := httptest.NewServer(xxl.NewAdminHandler(xxl.AdminConfig{Token: token, Leases: e, Outcomes: e}))
	t.Cleanup(server.Close)
	e.url = server.URL
	return e
}

func (e *ears) Register(_ context.Context, b job.Beat) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.beats = append(e.beats, b)
	return nil
}

func (e *ears) Deregister(context.Context, string, string) error { return nil }

func (e *ears) CompleteAs(context.Context, job.Caller, []job.Outcome) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tries++
	if !e.takes {
		return job.Errorf(job.Unavailable, "the database is away")
	}
	return nil
}

// take makes it take outcomes from now on.
func (e *ears) take() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.takes = true
}

// life waits for a beat that is new and lists these attempts.
func (e *ears) life(t *testing.T, what string, running, waiting int, holds ...int64) job.Life {
	t.Helper()
	var last job.Life
	eventually(t, what, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		if len(e.beats) == 0 {
			return false
		}
		last = e.beats[len(e.beats)-1].Life
		return last.Whole && slices.Equal(last.Holds, holds) && last.Load != nil && *last.Load == job.Load{Running: running, Waiting: waiting}
	})
	return last
}

// TestBeatsTellOfTheProcess: an attempt is held from the moment it is accepted
// until a server has its outcome, across restarts; each start is another
// incarnation.
func TestBeatsTellOfTheProcess(t *testing.T) {
	t.Parallel()
	e := newEars(t)
	a := newAdmin(t)
	c := plain(t, a)
	c.Servers, c.Beat, c.DrainFor = []string{e.url}, 20*time.Millisecond, 10*time.Millisecond
	l := launch(t, a, c)
	first := e.life(t, "the first beat", 0, 0)
	if first.Incarnation == "" || time.Since(first.StartedAt) > time.Minute || time.Since(first.StartedAt) < 0 {
		t.Errorf("the process is told as %+v", first)
	}
	l.run(t, bean(1, 11, "hold"), success)
	l.started(t, 11)
	l.run(t, bean(1, 12, "hold"), success)
	e.life(t, "a task that runs and one that waits", 1, 1, 11, 12)
	l.release(11)
	l.started(t, 12)
	again := e.life(t, "an outcome that nobody took", 1, 0, 11, 12)
	if again.Incarnation != first.Incarnation || !again.StartedAt.Equal(first.StartedAt) {
		t.Errorf("the process has become another: %+v", again)
	}
	e.take()
	e.life(t, "a delivered outcome", 1, 0, 12)
	l.run(t, bean(1, 13, "hold"), success)
	if err := l.stop(); err != nil {
		t.Fatal(err)
	}
	l = launch(t, a, c)
	second := e.life(t, "what the former process has left", 1, 0, 13)
	if second.Incarnation == first.Incarnation || !second.StartedAt.After(first.StartedAt) {
		t.Errorf("the second process is told as %+v", second)
	}
	l.release(13)
	e.life(t, "nothing", 0, 0)
}

// TestBeatsBringOutcomes: a beat that arrives has outcomes tried again which no server
// took. Left to itself, the outbox takes a minute for so many tries.
func TestBeatsBringOutcomes(t *testing.T) {
	t.Parallel()
	e := newEars(t)
	a := newAdmin(t)
	c := plain(t, a)
	c.Servers, c.Beat = []string{e.url}, 20*time.Millisecond
	l := launch(t, a, c)
	e.life(t, "the first beat", 0, 0)
	l.run(t, bean(1, 11, "hold"), success)
	l.started(t, 11)
	l.release(11)
	eventually(t, "seven tries", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.tries >= 7
	})
	e.take()
	e.life(t, "a delivered outcome", 0, 0)
}

// TestBeatsSayHowOften: also without a configured interval, for the lease follows from it.
func TestBeatsSayHowOften(t *testing.T) {
	t.Parallel()
	for want, every := range map[time.Duration]time.Duration{10 * time.Second: 0, time.Minute: time.Minute} {
		e := newEars(t)
		a := newAdmin(t)
		c := plain(t, a)
		c.Servers, c.Beat = []string{e.url}, every
		launch(t, a, c)
		if got := e.life(t, "the first beat", 0, 0).Every; got != want {
			t.Errorf("the beat says %s, want %s", got, want)
		}
	}
}

// TestBeatsOfTooManyAttempts: more than a beat carries is omitted.
func TestBeatsOfTooManyAttempts(t *testing.T) {
	t.Parallel()
	e := newEars(t)
	a := newAdmin(t)
	c := plain(t, a)
	c.Servers, c.Beat, c.DrainFor = []string{e.url}, 20*time.Millisecond, 10*time.Millisecond
	l := launch(t, a, c)
	e.take()
	var senders sync.WaitGroup
	for first := range int64(32) { // their commits are shared
		senders.Go(func() {
			for id := first; id <= job.MaxHolds; id += 32 {
				if got := l.try(t, bean(1, 100+id, "hold")); got != success {
					t.Errorf("attempt %d: %s", id, got)
				}
			}
		})
	}
	senders.Wait()
	eventually(t, "too many attempts", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		last := e.beats[len(e.beats)-1].Life
		return !last.Whole && last.Holds == nil && last.Load != nil && last.Load.Running+last.Load.Waiting > job.MaxHolds
	})
}
