package registry

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

// tale is a registry with the restarts that it announced.
type tale struct {
	*testing.T
	r         *Registry
	announced []string
	refuse    bool
	log       bytes.Buffer
}

func newTale(t *testing.T) *tale {
	t.Helper()
	s := &tale{T: t}
	s.r = start(t, Config{Store: newRows(), Logger: slog.New(slog.NewTextHandler(&s.log, nil)), Hooks: Hooks{
		Restarted: func(address string, since time.Time, holds []int64) bool {
			if s.refuse {
				return false
			}
			s.announced = append(s.announced, fmt.Sprintf("%s %s ago holds %v", address, time.Since(since), holds))
			return true
		},
	}})
	return s
}

// beat sends a beat of a process and lets ten seconds pass.
func (s *tale) beat(incarnation string, holds ...int64) {
	s.Helper()
	s.beatWith(job.Life{Incarnation: incarnation, Holds: holds, Whole: true})
}

func (s *tale) beatWith(l job.Life) {
	s.Helper()
	if err := s.r.Register(s.Context(), job.Beat{Group: "a", Address: "http://e1", Life: l}); err != nil {
		s.Fatal(err)
	}
	time.Sleep(10 * time.Second)
	synctest.Wait()
}

func (s *tale) want(announced ...string) {
	s.Helper()
	if diff := gocmp.Diff(announced, s.announced); diff != "" {
		s.Errorf("announced (-want +got):\n%s", diff)
	}
	s.announced = nil
}

// A restart is announced once, when the new process has been alone for two beats.
func TestRestartIsAnnounced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		for range 5 {
			s.beat("first", 1, 2)
		}
		s.want("http://e1 20s ago holds [1 2]") // nobody knows what was before
		s.beat("second", 2)
		s.beat("second", 2, 3)
		s.want()
		s.beat("second", 2, 3)
		s.want("http://e1 20s ago holds [2 3]")
		s.beat("second")
		s.want()
		if !strings.Contains(s.log.String(), "executor restarted") {
			t.Errorf("the log is %s", s.log.String())
		}
	})
}

// An executor that cannot name all it holds is asked for nothing: it is
// announced as soon as it can.
func TestRestartWithoutTheWholeList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		for range 5 {
			s.beatWith(job.Life{Incarnation: "first"})
			s.beatWith(job.Life{Incarnation: "first", Holds: make([]int64, job.MaxHolds+1), Whole: true})
		}
		s.want()
		s.beat("first", 7)
		s.want("http://e1 1m40s ago holds [7]")
	})
}

func TestRestartThatNobodyTook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		s.refuse = true
		for range 5 {
			s.beat("first")
		}
		s.refuse = false
		s.beat("first")
		s.want("http://e1 50s ago holds []")
	})
}

// Two executors behind one address are no restarts: what the one does not hold
// the other may.
func TestSharedAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		for range 3 {
			s.beat("one", 1)
		}
		s.want("http://e1 20s ago holds [1]")
		for range 20 {
			s.beat("two", 2)
			s.beat("one", 1)
		}
		for range 6 { // one of them is slow for a while
			s.beat("two", 2)
		}
		s.want()
		if n := strings.Count(s.log.String(), "several executors register one address"); n != 1 {
			t.Errorf("warned %d times", n)
		}
		time.Sleep(time.Hour)
		s.beat("two", 2)
		s.want("http://e1 1h1m0s ago holds [2]")
	})
}

// Executors of other makes say nothing of themselves, and others say nonsense.
func TestLivesThatAreNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		for _, incarnation := range []string{"", "a b", "a\n", "\x7f", "ä", strings.Repeat("x", job.MaxIncarnation+1)} {
			for range 4 {
				s.beatWith(job.Life{Incarnation: incarnation, Whole: true, Load: &job.Load{Running: 1}})
			}
		}
		s.want()
		if e := s.r.Executors()[0]; e.Incarnation != "" || e.Load != nil {
			t.Errorf("it is shown as %+v", e)
		}
		s.beatWith(job.Life{Incarnation: "x", StartedAt: time.Unix(1, 0), Load: &job.Load{Running: -1}})
		if e := s.r.Executors()[0]; e.Incarnation != "x" || !e.StartedAt.Equal(time.Unix(1, 0)) || e.Load != nil {
			t.Errorf("it is shown as %+v", e)
		}
		s.beatWith(job.Life{Incarnation: "x", Load: &job.Load{Running: 3, Waiting: 7}})
		if e := s.r.Executors()[0]; e.Load == nil || *e.Load != (job.Load{Running: 3, Waiting: 7}) {
			t.Errorf("it is shown as %+v", e)
		}
	})
}

// What is known of addresses that come and go does not grow for ever.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: newRows(), Prober: newNetwork()})
		for i := range 3000 {
			b := job.Beat{Group: "a", Address: fmt.Sprintf("http://e%d", i), Life: job.Life{Incarnation: "x"}}
			if err := r.Register(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		synctest.Wait()
		r.mu.Lock()
		defer r.mu.Unlock()
		if most := 2*100 + 1100; len(r.lives) > most || len(r.reach) > most {
			t.Errorf("%d lives and %d answers are kept", len(r.lives), len(r.reach))
		}
	})
}

// The beats of a process name what it has. It is rid of what a second beat does not name and
// what was accepted well before the first one.
func TestSettledByBeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTale(t)
		long, just := time.Now().Add(-time.Hour), time.Time{}
		want := func(what string, settled ...bool) {
			t.Helper()
			got := s.r.Settled("http://e1", []job.Attempt{{ID: 1, AcceptedAt: long}, {ID: 2, AcceptedAt: long}, {ID: 3, AcceptedAt: just}})
			if diff := gocmp.Diff(settled, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		want("not known", false, false, false)
		s.beat("first", 2)
		s.beat("first", 2)
		want("another may beat as well", false, false, false)
		just = time.Now().Add(-time.Second)
		s.beat("first", 2)
		want("two beats", true, false, false)
		s.beat("first", 2)
		want("accepted just before the first of them", true, false, false)
		s.beat("first", 2)
		s.beat("first", 2)
		want("accepted long before", true, false, true)
		s.beatWith(job.Life{Incarnation: "first", Holds: []int64{2}})
		want("a beat that does not name all", false, false, false)
		s.beat("first")
		want("the outcome was taken", true, true, true)
		s.beat("second")
		want("another process", false, false, false)
		s.beat("second")
		s.beat("second")
		s.beat("first")
		s.beat("first")
		s.beat("first")
		want("two at one address", false, false, false)
	})
}
