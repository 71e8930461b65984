package reading

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// TestFollow: many viewers see each line once and in order, whether it is in memory, moves
// to the store in between, or comes late, and all end when the log does.
func TestFollow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const viewers, lines = 20, 200
		l := newLibrary()
		l.store(10, logbook.Open)
		l.hold(10, 1, false)
		over := false
		var viewing sync.WaitGroup
		for range viewers {
			viewing.Go(func() {
				seen := 0
				err := l.reader().Follow(t.Context(), running, 1, 1,
					func(context.Context) (bool, error) { return over, nil },
					func(p job.LogPage) error {
						if p.From != seen+1 {
							t.Errorf("line %d comes after line %d", p.From, seen)
						}
						seen = p.To
						return nil
					})
				if err != nil || seen != lines {
					t.Errorf("the viewer saw %d lines of %d: %v", seen, lines, err)
				}
			})
		}
		var held []string
		first := 1
		for i := 1; i <= lines; i++ {
			held = append(held, fmt.Sprint(i))
			if i%30 == 0 { // they are stored, and dropped a moment later
				l.store(10, logbook.Open, held...)
				first, held = i+1, nil
			}
			l.hold(10, first, false, held...)
			time.Sleep(50 * time.Millisecond)
			if l.asked > 0 {
				t.Fatal("the executor was asked by a viewer")
			}
		}
		synctest.Wait()
		if l.watched[10] != viewers {
			t.Errorf("%d viewers watch, want %d", l.watched[10], viewers)
		}
		over = true
		l.hold(10, first, true, held...)
		viewing.Wait()
		if l.watched[10] != 0 {
			t.Errorf("%d viewers still watch", l.watched[10])
		}
	})
}

// TestFollowEnds looks at how following ends when the log does not report its end.
func TestFollowEnds(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	for name, c := range map[string]struct {
		set  func(*library)
		a    job.Attempt
		over bool
		take error
		want error
		took time.Duration
	}{
		"it was over":             {func(l *library) { l.store(10, logbook.Whole, "a") }, done, false, nil, nil, 0},
		"the viewer has enough":   {func(l *library) { l.store(10, logbook.Whole, "a") }, done, false, stop, stop, 0},
		"only the executor's":     {func(l *library) { l.far = []string{"a", "b", "c", "d"} }, done, false, nil, nil, 0},
		"the rest does not come":  {func(l *library) { l.store(10, logbook.Open, "a"); l.farErr = job.Errorf(job.Unreachable, "away") }, done, false, nil, nil, settleFor},
		"it ends meanwhile":       {func(l *library) { l.far = []string{"a"} }, running, true, nil, nil, followCheck},
		"its executor has gone":   {func(l *library) { l.farErr = job.Errorf(job.Unreachable, "away") }, done, false, nil, job.Errorf(job.Unreachable, "away"), 0},
		"its executor is no more": {func(l *library) { l.farErr = job.Errorf(job.Refused, "not mine") }, running, false, nil, job.Errorf(job.Refused, "not mine"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLibrary()
				c.set(l)
				began := time.Now()
				err := l.reader().Follow(t.Context(), c.a, 1, 1,
					func(context.Context) (bool, error) { return c.over, nil }, func(job.LogPage) error { return c.take })
				if c.want == nil != (err == nil) || c.want != nil && !errors.Is(err, c.want) && job.KindOf(err) != job.KindOf(c.want) {
					t.Errorf("it ends with %v, want %v", err, c.want)
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("it took %s, want %s", took, c.took)
				}
			})
		})
	}
}

// TestFollowGoesOn: an executor that is away for a while does not end it; the end of
// the context does.
func TestFollowGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLibrary()
		l.farErr = job.Errorf(job.Unreachable, "away")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		time.AfterFunc(10*time.Second, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.farErr, l.far = nil, []string{"a"}
		})
		seen := 0
		err := l.reader().Follow(ctx, running, 1, 1,
			func(context.Context) (bool, error) { return false, nil }, func(p job.LogPage) error { seen = p.To; return nil })
		if seen != 1 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("line %d was seen, and it ended with %v", seen, err)
		}
	})
}
