package pace

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pass is what happened in one pass, in milliseconds since the test's start.
type pass struct {
	at    int
	cause Cause
}

// play runs a loop for a time. answer gives wait and error of each pass, by its
// number from 0, and may use the loop.
func play(t *testing.T, length time.Duration, answer func(l *Loop, n int) (time.Duration, error)) (passes []pass, log string) {
	t.Helper()
	var text bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var l *Loop
		l = New(Config{
			Failed: func(err error) { text.WriteString(err.Error() + "\n") },
			Pass: func(_ context.Context, now time.Time, cause Cause) (time.Duration, error) {
				passes = append(passes, pass{int(now.Sub(start).Milliseconds()), cause})
				return answer(l, len(passes)-1)
			},
		})
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		if err := l.Run(ctx); err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	return passes, text.String()
}

func TestRun(t *testing.T) {
	t.Parallel()
	wait := func(d time.Duration) (time.Duration, error) { return d, nil }
	for _, test := range []struct {
		name   string
		length time.Duration
		answer func(l *Loop, n int) (time.Duration, error)
		want   []pass
		log    int // errors
	}{
		{
			"its time comes", 2500 * time.Millisecond,
			func(*Loop, int) (time.Duration, error) { return wait(time.Second) },
			[]pass{{0, Fresh}, {1000, Due}, {2000, Due}},
			0,
		},
		{
			"without a wait it takes a breath", 12 * time.Millisecond,
			func(*Loop, int) (time.Duration, error) { return wait(0) },
			[]pass{{0, Fresh}, {5, Due}, {10, Due}},
			0,
		},
		{
			"it rests as long as it worked", 75 * time.Millisecond,
			func(*Loop, int) (time.Duration, error) {
				<-time.After(20 * time.Millisecond)
				return wait(0)
			},
			[]pass{{0, Fresh}, {40, Due}},
			0,
		},
		{
			"many announcements are one", 500 * time.Millisecond,
			func(l *Loop, n int) (time.Duration, error) {
				if n == 0 {
					for range 10 {
						l.Wake()
					}
				}
				return wait(time.Minute)
			},
			[]pass{{0, Fresh}, {5, Woken}},
			0,
		},
		{
			"what one who is gone has claimed is taken over at once", 2500 * time.Millisecond,
			func(l *Loop, n int) (time.Duration, error) {
				if n == 1 {
					l.TakeOver()
				}
				return wait(time.Second)
			},
			[]pass{{0, Fresh}, {1000, Due}, {1005, Fresh}, {2005, Due}},
			0,
		},
		{
			"an error is followed by a second of rest, whoever wakes it", 2500 * time.Millisecond,
			func(l *Loop, n int) (time.Duration, error) {
				l.Wake()
				if n < 2 {
					return time.Hour, errors.New("no database")
				}
				<-time.After(400 * time.Millisecond)
				return wait(time.Minute)
			},
			[]pass{{0, Fresh}, {1000, Fresh}, {2000, Fresh}},
			2,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, log := play(t, test.length, test.answer)
			if !slices.Equal(got, test.want) {
				t.Errorf("passes %v; want %v", got, test.want)
			}
			if n := strings.Count(log, "no database\n"); n != test.log {
				t.Errorf("%d errors are told; want %d:\n%s", n, test.log, log)
			}
		})
	}
}

// TestStop ends a loop in a pass and in the rest after an error: it is no error,
// and nobody is told of what the end has cut off.
func TestStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		l := New(Config{
			Failed: func(err error) { text.WriteString(err.Error() + "\n") },
			Pass: func(ctx context.Context, _ time.Time, _ Cause) (time.Duration, error) {
				cancel()
				return 0, ctx.Err()
			},
		})
		if err := l.Run(ctx); err != nil || text.Len() > 0 {
			t.Errorf("Run = %v, told %q", err, text.String())
		}
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		l = New(Config{Pass: func(context.Context, time.Time, Cause) (time.Duration, error) {
			return 0, errors.New("no database")
		}})
		began := time.Now()
		if err := l.Run(ctx); err != nil || time.Since(began) != 10*time.Millisecond {
			t.Errorf("Run = %v after %v", err, time.Since(began))
		}
	})
}

// An idle loop begins no pass, whoever wakes it, ends the one that is under way, and goes
// on within a second.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var idle atomic.Bool
		var begun, ended atomic.Int32
		l := New(Config{Idle: idle.Load, Pass: func(ctx context.Context, _ time.Time, _ Cause) (time.Duration, error) {
			begun.Add(1)
			<-time.After(100 * time.Millisecond)
			ended.Add(1)
			return time.Second, ctx.Err()
		}})
		go func() { _ = l.Run(t.Context()) }()
		time.Sleep(50 * time.Millisecond)
		idle.Store(true)
		for range 100 {
			time.Sleep(time.Second)
			l.Wake()
		}
		if begun.Load() != 1 || ended.Load() != 1 {
			t.Errorf("%d passes began and %d ended, want the one that was under way", begun.Load(), ended.Load())
		}
		synctest.Wait()
		idle.Store(false)
		time.Sleep(whileIdle + 150*time.Millisecond)
		if ended.Load() != 2 {
			t.Errorf("%d passes have ended after it was idle", ended.Load())
		}
	})
}

// A loop that is found idle gives back what it has taken on, and so does one that ends.
func TestLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var idle atomic.Bool
		left := 0
		ctx, cancel := context.WithCancel(t.Context())
		l := New(Config{
			Idle: idle.Load,
			Pass: func(context.Context, time.Time, Cause) (time.Duration, error) { return time.Second, nil },
			Leave: func(ctx context.Context) {
				left++
				if until, bounded := ctx.Deadline(); ctx.Err() != nil || !bounded || time.Until(until) != leaveFor {
					t.Errorf("the time to leave ends at %s, %v", until, ctx.Err())
				}
			},
		})
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		for _, step := range []struct {
			idle bool
			want int
		}{{false, 0}, {true, 3}, {false, 3}} {
			idle.Store(step.idle)
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if left != step.want {
				t.Errorf("idle %v: it left %d times, want %d", step.idle, left, step.want)
			}
		}
		cancel()
		if err := <-ended; err != nil || left != 4 {
			t.Errorf("%v; it left %d times", err, left)
		}
	})
}

// What is to be finished goes on for a while after its context has ended, and no longer.
func TestFinish(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		work, finished := Finish(ctx)
		defer finished()
		stop()
		time.Sleep(leaveFor - time.Millisecond)
		synctest.Wait()
		if err := work.Err(); err != nil {
			t.Errorf("before its time it is over: %v", err)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if work.Err() == nil {
			t.Error("it goes on for ever")
		}
		_, done := Finish(ctx) // ended before
		done()
	})
}
