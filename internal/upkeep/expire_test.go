package upkeep

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// shelf is runs that wait, in memory.
type shelf struct {
	mu    sync.Mutex
	runs  []Expiring
	ended map[int64]job.Run
	taken map[int64]bool // by an executor, in between
	fail  error
}

func (s *shelf) Expiring(_ context.Context, now time.Time, limit int) ([]Expiring, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Expiring
	for _, e := range s.runs {
		_, over := s.ended[e.Run.ID]
		if !over && !s.taken[e.Run.ID] && !e.Run.ExpireAt.After(now) && len(found) < limit {
			found = append(found, e)
		}
	}
	return found, s.fail
}

func (s *shelf) ExpireRuns(_ context.Context, runs []job.Run) ([]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := make([]bool, len(runs))
	for i, r := range runs {
		if done[i] = !s.taken[r.ID]; done[i] {
			s.ended[r.ID] = r
		}
	}
	return done, s.fail
}

func (s *shelf) change(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		s := &shelf{ended: make(map[int64]job.Run), taken: make(map[int64]bool)}
		for id := range int64(1200) {
			reason := ""
			if id == 7 {
				reason = "no executor of group g is alive"
			}
			s.runs = append(s.runs, Expiring{
				Run:   job.Run{ID: id, Reason: reason, ExpireAt: begun.Add(time.Minute)},
				After: 10 * time.Minute,
			})
		}
		late := Expiring{Run: job.Run{ID: 5000, ExpireAt: begun.Add(time.Hour)}, After: time.Hour}
		s.runs = append(s.runs, late)
		var told []int64
		e := NewExpiry(ExpiryConfig{Store: s, Expired: func(r job.Run) { s.change(func() { told = append(told, r.ID) }) }})
		heard := func() (ids []int64) {
			s.change(func() { ids = slices.Clone(told) })
			return ids
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()

		time.Sleep(59 * time.Second)
		synctest.Wait()
		if n := len(heard()); n != 0 {
			t.Errorf("%d were given up before their time", n)
		}
		time.Sleep(6 * time.Second)
		synctest.Wait()
		if n := len(heard()); n != 1200 {
			t.Errorf("%d of 1200 were given up in one look", n)
		}
		s.change(func() {
			r := s.ended[7]
			if want := "expired: waited 10m0s and no executor took it; the last reason: no executor of group g is alive"; r.Reason != want {
				t.Errorf("the reason is %q, want %q", r.Reason, want)
			}
			if r.EndedAt.Before(begun.Add(time.Minute)) {
				t.Errorf("it ended at %s", r.EndedAt)
			}
			if r := s.ended[8]; strings.Contains(r.Reason, "last reason") {
				t.Errorf("the reason is %q", r.Reason)
			}
			s.fail = job.Errorf(job.Unavailable, "away")
		})

		// An error of the store is tried again.
		time.Sleep(time.Hour)
		synctest.Wait()
		if slices.Contains(heard(), 5000) {
			t.Error("told of a run that could not be written")
		}
		s.change(func() { s.fail = nil; clear(s.ended) })
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if !slices.Contains(heard(), 5000) {
			t.Error("the last one was not given up when the store was back")
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// A run that was sent between the look and the write is not told of.
func TestExpiryLoses(t *testing.T) {
	t.Parallel()
	s := &shelf{ended: make(map[int64]job.Run), taken: make(map[int64]bool)}
	s.runs = []Expiring{{Run: job.Run{ID: 1}}, {Run: job.Run{ID: 2}}}
	var told []int64
	e := NewExpiry(ExpiryConfig{Store: racing{s}, Expired: func(r job.Run) { told = append(told, r.ID) }})
	if _, err := e.batch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, []int64{2}) {
		t.Errorf("told of %v, want the second only", told)
	}
}

// racing lets an executor take the first run before it is given up.
type racing struct{ *shelf }

func (r racing) ExpireRuns(ctx context.Context, runs []job.Run) ([]bool, error) {
	r.change(func() { r.taken[1] = true })
	return r.shelf.ExpireRuns(ctx, runs)
}

// While others do it nothing is given up here.
func TestExpiryIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{ended: make(map[int64]job.Run), taken: make(map[int64]bool), runs: []Expiring{{Run: job.Run{ID: 1}}}}
		var idle atomic.Bool
		idle.Store(true)
		e := NewExpiry(ExpiryConfig{Store: s, Idle: idle.Load})
		go func() { _ = e.Run(t.Context()) }()
		given := func() (n int) {
			s.change(func() { n = len(s.ended) })
			return n
		}
		time.Sleep(time.Hour)
		if n := given(); n != 0 {
			t.Errorf("%d were given up", n)
		}
		idle.Store(false)
		time.Sleep(6 * time.Second)
		if n := given(); n != 1 {
			t.Errorf("%d were given up afterwards, want 1", n)
		}
	})
}
