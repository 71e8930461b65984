package lifecycle_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/lifecycle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// score writes down what happens, in order.
type score struct {
	mu    sync.Mutex
	lines []string
}

func (s *score) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *score) want(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.lines); diff != "" {
		t.Errorf("score (-want +got):\n%s", diff)
	}
}

// part works until it is stopped and needs windDown for that; so does its Drain.
func (s *score) part(name string, windDown time.Duration) lifecycle.Part {
	return lifecycle.Part{
		Name: name,
		Run: func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(windDown)
			s.note("stop %s", name)
			return ctx.Err()
		},
		Drain: func(context.Context) error {
			time.Sleep(windDown)
			s.note("drain %s", name)
			return nil
		},
	}
}

// failing ends with err after the time.
func failing(name string, after time.Duration, err error) lifecycle.Part {
	return lifecycle.Part{Name: name, Run: func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(after):
			return err
		}
	}}
}

func TestStopsInReverseOrderDrainsFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s score
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		group := lifecycle.New(lifecycle.Config{},
			s.part("store", time.Second), s.part("runner", 2*time.Second), s.part("http", 3*time.Second))
		start := time.Now()
		if err := group.Run(ctx); err != nil {
			t.Errorf("Run = %v, want nil after a stop in good order", err)
		}
		s.want(t, "drain http", "drain runner", "drain store", "stop http", "stop runner", "stop store")
		if took := time.Since(start); took != time.Minute+12*time.Second {
			t.Errorf("took %v, want 1m12s: the stops one after the other", took)
		}
	})
}

func TestOneFailureStopsTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s score
		broken := errors.New("disk on fire")
		group := lifecycle.New(lifecycle.Config{},
			s.part("store", 0), failing("runner", time.Hour, broken), s.part("http", 0))
		start := time.Now()
		err := group.Run(t.Context())
		if !errors.Is(err, broken) || err.Error() != "runner: disk on fire" {
			t.Errorf("Run = %v, want the failure with the part's name", err)
		}
		s.want(t, "drain http", "drain store", "stop http", "stop store")
		if took := time.Since(start); took != time.Hour {
			t.Errorf("took %v, want 1h", took)
		}
	})
}

func TestAPartMayFinishEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s score
		once := failing("import", time.Second, nil)
		once.Drain = func(context.Context) error { s.note("drain of a part that has ended"); return nil }
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		if err := lifecycle.New(lifecycle.Config{}, once, s.part("http", 0)).Run(ctx); err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
		s.want(t, "drain http", "stop http")
		if took := time.Since(start); took != time.Minute {
			t.Errorf("ended after %v, want 1m: the others go on", took)
		}
	})
}

func TestEndsWhenAllPartsHaveEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		group := lifecycle.New(lifecycle.Config{}, failing("a", time.Second, nil), failing("b", 2*time.Second, nil))
		if err := group.Run(t.Context()); err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("took %v, want 2s", took)
		}
	})
}

func TestPanicBecomesAnErrorAndTheStackStaysInTheLog(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		part lifecycle.Part
		want string
	}{
		{"run", lifecycle.Part{Name: "planner", Run: func(context.Context) error { panic("nil map") }}, "planner: panic: nil map"},
		{
			"drain",
			lifecycle.Part{
				Name:  "planner",
				Run:   func(ctx context.Context) error { <-ctx.Done(); return nil },
				Drain: func(context.Context) error { panic("nil map") },
			},
			"planner: drain: panic: nil map",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				c := lifecycle.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}
				err := lifecycle.New(c, tc.part).Run(ctx)
				if err == nil || err.Error() != tc.want {
					t.Errorf("Run = %v, want %q", err, tc.want)
				}
				if !strings.Contains(log.String(), "lifecycle_test.go") {
					t.Errorf("the log has no stack: %s", log.String())
				}
			})
		})
	}
}

func TestDrainIsBoundedAndEveryPartIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s score
		slow := s.part("runner", 0)
		slow.Drain = func(ctx context.Context) error {
			s.note("drain runner")
			<-ctx.Done()
			return ctx.Err()
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		var log bytes.Buffer
		c := lifecycle.Config{DrainFor: 5 * time.Second, Logger: slog.New(slog.NewTextHandler(&log, nil))}
		if err := lifecycle.New(c, s.part("store", 0), slow).Run(ctx); err != nil {
			t.Errorf("Run = %v; what is left after the time to drain is no failure", err)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "part=runner after=5s") {
			t.Errorf("the log is %q; want one warning that names the part", log.String())
		}
		s.want(t, "drain runner", "drain store", "stop runner", "stop store")
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("took %v, want 5s", took)
		}
	})
}

// A Drain that fails for another reason than the end of its time has failed,
// before that end as well as after it.
func TestAFailedDrainIsAnError(t *testing.T) {
	t.Parallel()
	failure := errors.New("the lease cannot be ended")
	for name, wait := range map[string]time.Duration{"in time": 0, "late": 2 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var s score
				p := s.part("runner", 0)
				p.Drain = func(context.Context) error {
					time.Sleep(wait)
					return failure
				}
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				err := lifecycle.New(lifecycle.Config{DrainFor: time.Second}, p).Run(ctx)
				if err == nil || err.Error() != "runner: drain: the lease cannot be ended" {
					t.Errorf("Run = %v; want the failure with the part's name", err)
				}
			})
		})
	}
}

// An early Drain whose error is of a time limit of its own has failed too.
func TestADrainsOwnTimeLimitIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s score
		p := s.part("runner", 0)
		p.Drain = func(ctx context.Context) error {
			own, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			<-own.Done()
			return own.Err()
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := lifecycle.New(lifecycle.Config{DrainFor: time.Minute}, p).Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run = %v; want the error of the part's own limit", err)
		}
	})
}

func TestAStuckPartIsNamedAndLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s score
		release := make(chan struct{})
		stuck := lifecycle.Part{
			Name:  "runner",
			Run:   func(context.Context) error { <-release; return nil },
			Drain: func(context.Context) error { <-release; return nil },
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c := lifecycle.Config{DrainFor: time.Second, StopFor: 2 * time.Second}
		err := lifecycle.New(c, s.part("store", 0), stuck).Run(ctx)
		want := "runner: drain: still running 2s after it was told to stop\nrunner: still running 2s after it was told to stop"
		if err == nil || err.Error() != want {
			t.Errorf("Run = %v, want %q", err, want)
		}
		s.want(t, "drain store", "stop store")
		close(release)
	})
}

func TestPartsSurviveTheEndOfTheirCallersContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		draining, drained := make(chan struct{}), false
		p := lifecycle.Part{
			Name: "runner",
			Run: func(ctx context.Context) error {
				<-draining
				time.Sleep(time.Second) // work that was taken goes on while the part drains
				if ctx.Err() != nil {
					return errors.New("stopped before it was drained")
				}
				<-ctx.Done()
				return nil
			},
			Drain: func(context.Context) error {
				close(draining)
				time.Sleep(2 * time.Second)
				drained = true
				return nil
			},
		}
		cancel()
		if err := lifecycle.New(lifecycle.Config{}, p).Run(ctx); err != nil || !drained {
			t.Errorf("Run = %v, drained %v; want nil, true", err, drained)
		}
	})
}

func TestAFailureIsNotHiddenByTheStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		p := lifecycle.Part{Name: "outbox", Run: func(ctx context.Context) error {
			<-ctx.Done()
			return errors.New("close the file: disk full")
		}}
		err := lifecycle.New(lifecycle.Config{}, p).Run(ctx)
		if err == nil || err.Error() != "outbox: close the file: disk full" {
			t.Errorf("Run = %v, want the failure", err)
		}
	})
}

func TestNewRefusesNamelessAndEmptyParts(t *testing.T) {
	t.Parallel()
	for _, p := range []lifecycle.Part{
		{Run: func(context.Context) error { return nil }},
		{Name: "runner"},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New accepted %+v", p)
				}
			}()
			lifecycle.New(lifecycle.Config{}, p)
		}()
	}
}
