package heartbeat

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// servers records the beats by their time since the start.
type servers struct {
	mu       sync.Mutex
	began    time.Time
	beats    []time.Duration
	farewell []time.Duration
	fail     error
	slow     time.Duration
}

func (s *servers) Register(ctx context.Context, _, _ string) error {
	s.mu.Lock()
	s.beats = append(s.beats, time.Since(s.began))
	err, slow := s.fail, s.slow
	s.mu.Unlock()
	return hang(ctx, slow, err)
}

func (s *servers) Deregister(ctx context.Context, _, _ string) error {
	s.mu.Lock()
	s.farewell = append(s.farewell, time.Since(s.began))
	err, slow := s.fail, s.slow
	s.mu.Unlock()
	return hang(ctx, slow, err)
}

func hang(ctx context.Context, slow time.Duration, err error) error {
	select {
	case <-time.After(slow):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// heard returns the times of the beats and of the farewells so far.
func (s *servers) heard() (beats, farewells []time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.beats), slices.Clone(s.farewell)
}

// text is a log that a loop writes while a test reads it.
type text struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *text) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *text) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (s *servers) set(err error, slow time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail, s.slow = err, slow
}

// start runs a heartbeat within the bubble of a test, until stop or the test's
// end. stop waits for it.
func start(t *testing.T, s *servers, logger *slog.Logger) (h *Heartbeat, stop func()) {
	t.Helper()
	s.began = time.Now()
	h = New(Config{Servers: s, Group: "g", Address: "http://1", Logger: logger})
	stop = lifecycletest.Start(t, h.Run)
	t.Cleanup(func() {
		stop()
		if _, farewells := s.heard(); len(farewells) != 1 {
			t.Errorf("%d farewells, want 1", len(farewells))
		}
	})
	synctest.Wait()
	return h, stop
}

// pass lets fake time pass and everybody finish what is to be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestRhythm(t *testing.T) {
	t.Parallel()
	s := &servers{}
	synctest.Test(t, func(t *testing.T) {
		_, stop := start(t, s, nil)
		pass(100 * time.Second)
		stop()
		beats, farewells := s.heard()
		if beats[0] != 0 {
			t.Errorf("the first beat came after %s", beats[0])
		}
		for i := 1; i < len(beats); i++ {
			if gap := beats[i] - beats[i-1]; gap > 10*time.Second || gap < 9*time.Second {
				t.Errorf("%s between two beats", gap)
			}
		}
		if last := beats[len(beats)-1]; last < 90*time.Second {
			t.Errorf("the last beat came at %s of 100 s", last)
		}
		if farewells[0] != 100*time.Second {
			t.Errorf("the farewell came at %s, not at the stop", farewells[0])
		}
	})
}

func TestLostBeatsAreSentAgainSooner(t *testing.T) {
	t.Parallel()
	var log text
	s := &servers{fail: job.Errorf(job.Unavailable, "no server answers")}
	synctest.Test(t, func(t *testing.T) {
		_, stop := start(t, s, slog.New(slog.NewTextHandler(&log, nil)))
		pass(100 * time.Second)
		beats, _ := s.heard()
		if n := len(beats); n < 40 || n > 51 {
			t.Errorf("%d beats in 100 s without an answer, want one each 2..2.4 s", n)
		}
		if n := strings.Count(log.String(), "no server took"); n < 3 || n > 4 {
			t.Errorf("%d warnings in 100 s, want one each 30 s", n)
		}
		s.set(nil, 0)
		pass(3 * time.Second)
		before, _ := s.heard()
		if !strings.Contains(log.String(), "registered") {
			t.Error("the return of the server was not logged")
		}
		pass(27 * time.Second)
		after, _ := s.heard()
		if n := len(after) - len(before); n > 3 {
			t.Errorf("%d beats in 27 s after the server came back", n)
		}
		stop()
	})
}

func TestWrongTokenIsExplained(t *testing.T) {
	t.Parallel()
	var log text
	s := &servers{fail: job.Errorf(job.Unauthorized, "wrong token")}
	synctest.Test(t, func(t *testing.T) {
		_, stop := start(t, s, slog.New(slog.NewTextHandler(&log, nil)))
		stop()
	})
	if !strings.Contains(log.String(), "the file executor.token") {
		t.Errorf("the log does not say what to do: %s", log.String())
	}
}

func TestLeave(t *testing.T) {
	t.Parallel()
	s := &servers{}
	synctest.Test(t, func(t *testing.T) {
		h, _ := start(t, s, nil)
		pass(5 * time.Second)
		for range 2 { // a second one finds nothing to do
			if err := h.Leave(t.Context()); err != nil {
				t.Errorf("Leave: %v", err)
			}
		}
		pass(time.Minute)
		beats, farewells := s.heard()
		if farewells[0] != 5*time.Second {
			t.Errorf("the farewell came at %s, not with Leave", farewells[0])
		}
		if len(beats) != 1 {
			t.Errorf("%d beats, some of them after the farewell", len(beats))
		}
	})
}

// The farewell comes after the beat under way, or the beat would undo it.
// An executor that the servers refuse must not end the lease of another one at its address.
func TestRefusedSaysNoFarewell(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &servers{began: time.Now()}
		h := New(Config{Servers: s, Group: "g", Address: "http://1"})
		stop := lifecycletest.Start(t, h.Run)
		pass(time.Minute)
		s.set(job.Errorf(job.Refused, "another executor has the address"), 0)
		pass(time.Minute)
		stop()
		if beats, farewells := s.heard(); len(farewells) != 0 || len(beats) < 10 {
			t.Errorf("%d beats and %d farewells", len(beats), len(farewells))
		}
	})
}

func TestLeaveDuringABeat(t *testing.T) {
	t.Parallel()
	s := &servers{slow: 2 * time.Second}
	synctest.Test(t, func(t *testing.T) {
		h, _ := start(t, s, nil)
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.Leave(impatient); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Leave with a second of time: %v", err)
		}
		if err := h.Leave(t.Context()); err != nil {
			t.Errorf("Leave: %v", err)
		}
		if beats, farewells := s.heard(); len(beats) != 1 || farewells[0] != 2*time.Second {
			t.Errorf("%d beats, farewell at %v", len(beats), farewells)
		}
	})
}

func TestFarewellIsBounded(t *testing.T) {
	t.Parallel()
	s := &servers{}
	synctest.Test(t, func(t *testing.T) {
		_, stop := start(t, s, nil)
		s.set(nil, time.Hour)
		began := time.Now()
		stop()
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("the stop took %s, want the farewell's 3 s", took)
		}
	})
}

func TestWaitStaysInItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := New(Config{Every: time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "every"))})
		h.known = rapid.Bool().Draw(t, "known")
		wait := h.wait(rapid.Float64Range(0, 0.9999).Draw(t, "random"))
		low, high := h.config.Retry, h.config.Retry*6/5
		if h.known {
			low, high = h.config.Every*9/10, h.config.Every
		}
		if wait < low || wait > high {
			t.Fatalf("wait %s is not in %s..%s", wait, low, high)
		}
	})
}

// An executor that keeps tasks says so, and its lease stays: it beats on while it drains,
// and says farewell only when it keeps nothing any more.
func TestKeeps(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{true, false} {
		s := &servers{}
		synctest.Test(t, func(t *testing.T) {
			var kept atomic.Int64
			s.began = time.Now()
			h := New(Config{Servers: s, Group: "g", Address: "http://1", Keeps: func() int { return int(kept.Load()) }})
			stop := lifecycletest.Start(t, h.Run)
			pass(5 * time.Second)
			kept.Store(3)
			if err := h.Leave(t.Context()); err != nil {
				t.Errorf("Leave: %v", err)
			}
			if beats, farewells := s.heard(); len(farewells) != 0 || beats[len(beats)-1] != 5*time.Second {
				t.Errorf("after Leave: beats at %v, farewells at %v", beats, farewells)
			}
			pass(10 * time.Second)
			beats, _ := s.heard()
			if last := beats[len(beats)-1]; last < 14*time.Second {
				t.Errorf("the last beat of one that drains came at %s", last)
			}
			if ends {
				kept.Store(0)
			}
			stop()
			beats, farewells := s.heard()
			if ends && (len(farewells) != 1 || farewells[0] != 15*time.Second) {
				t.Errorf("one that keeps nothing any more: farewells at %v", farewells)
			}
			if !ends && (len(farewells) != 0 || beats[len(beats)-1] != 15*time.Second) {
				t.Errorf("one that keeps tasks: beats at %v, farewells at %v", beats, farewells)
			}
		})
	}
}
