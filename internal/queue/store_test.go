package queue_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

func TestFailedCommitIsToldToAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var told atomic.Int64
		disk := mem.New()
		s := open(t, disk, queue.Config{
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Hooks:  queue.Hooks{Failed: func(error) { told.Add(1) }},
		})
		stop := run(t, s)
		q := s.Queue("tasks", queue.QueueConfig{})
		release := gate(s)
		disk.Fail(errFull)
		results := make(chan error, 4)
		var woken atomic.Bool
		for _, key := range []int64{1, 1, 2} { // the second 1 is a duplicate of what is not durable
			go func() { results <- push(s, q, key) }()
			synctest.Wait()
		}
		go func() {
			results <- s.Update(t.Context(), func(tx *queue.Tx) error {
				tx.OnCommit(func() { woken.Store(true) })
				return errUndo
			})
		}()
		synctest.Wait()
		release()
		for range cap(results) {
			err := <-results
			wantKind(t, err, job.Ambiguous)
			if !errors.Is(err, errFull) {
				t.Errorf("the cause is missing in %v", err)
			}
		}
		if woken.Load() {
			t.Error("a hook of a failed commit was called")
		}
		wantKind(t, push(s, q, 3), job.Unavailable) // before anything else the fate must be certain
		disk.Fail(nil)
		wantKind(t, push(s, q, 1), "") // the next turn tries again, as if nothing had been
		stop()
		if told.Load() != 2 || strings.Count(log.String(), "queue_commit_failed") != 1 ||
			!strings.Contains(log.String(), "queue_writes_again failed_commits=2") {
			t.Errorf("%d failures were told, the log says\n%s", told.Load(), &log)
		}
	})
}

func TestErrorsAndPanicsStayWithTheirCaller(t *testing.T) {
	t.Parallel()
	s := open(t, mem.New(), queue.Config{})
	stop := run(t, s)
	q := s.Queue("tasks", queue.QueueConfig{})
	release := gate(s)
	var wg sync.WaitGroup
	wg.Go(func() { wantNil(t, push(s, q, 1)) })
	wg.Go(func() {
		err := s.Update(t.Context(), func(tx *queue.Tx) error {
			_ = q.Push(tx, queue.Item{Key: 2})
			panic("a mistake of a caller")
		})
		if !job.Is(err, job.Internal) || !strings.Contains(err.Error(), "a mistake of a caller") {
			t.Errorf("got %v", err)
		}
	})
	wg.Go(func() {
		err := s.Update(t.Context(), func(tx *queue.Tx) error {
			_ = q.Push(tx, queue.Item{Key: 3})
			return errUndo
		})
		if err != errUndo { //nolint:errorlint // Update promises the very error, unwrapped.
			t.Errorf("got %v, want the very error", err)
		}
	})
	release()
	wg.Wait()
	err := s.View(t.Context(), func(tx *queue.Tx) error {
		st, err := q.Stats(tx)
		if st != (queue.Stats{Scheduled: 1}) {
			t.Errorf("got %+v", st)
		}
		return err
	})
	wantNil(t, err)
	stop()
}

func TestNothingToCommitCostsNoCommit(t *testing.T) {
	t.Parallel()
	disk := mem.New()
	s := open(t, disk, queue.Config{})
	stop := run(t, s)
	q := s.Queue("tasks", queue.QueueConfig{})
	wantNil(t, push(s, q, 1))
	before := disk.Steps()
	wantKind(t, push(s, q, 1), job.Duplicate)
	wantNil(t, s.Update(t.Context(), func(tx *queue.Tx) error {
		items, err := q.Claim(tx, time.Time{}.Add(-time.Hour), 9)
		if len(items) != 0 {
			t.Errorf("claimed %v", items)
		}
		return err
	}))
	stop()
	if n := disk.Steps() - before; n != 0 {
		t.Errorf("%d writes for nothing", n)
	}
}

func TestUpdateWaitsForRunAndForItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, mem.New(), queue.Config{Group: 1})
		q := s.Queue("tasks", queue.QueueConfig{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		never := func(*queue.Tx) error { t.Error("a withdrawn function was called"); return nil }
		results := make(chan error, 2)
		for range cap(results) { // one waits in line, one for room in the line
			go func() { results <- s.Update(ctx, never) }()
		}
		for range cap(results) {
			if err := <-results; !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		}
		if err := s.Update(ctx, never); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		early := make(chan error, 1)
		go func() { early <- push(s, q, 1) }()
		synctest.Wait()
		stop := run(t, s)
		wantNil(t, <-early)
		stop()
	})
}

func TestUpdateInTheMiddleOfItsCommitWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, mem.New(), queue.Config{})
		stop := run(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		err := s.Update(ctx, func(*queue.Tx) error {
			cancel() // from here on the function's effects are real
			time.Sleep(time.Second)
			return nil
		})
		wantNil(t, err)
		stop()
	})
}

func TestEndOfRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, mem.New(), queue.Config{})
		q := s.Queue("tasks", queue.QueueConfig{})
		stop := run(t, s)
		release := gate(s)
		submitted := make(chan error, 1)
		go func() { submitted <- push(s, q, 1) }()
		synctest.Wait()
		go stop()
		synctest.Wait()
		release()
		wantNil(t, <-submitted) // what was submitted is finished
		synctest.Wait()
		wantKind(t, push(s, q, 2), job.Unavailable)
		wantKind(t, s.Run(t.Context()), job.Conflict)
		wantNil(t, s.View(t.Context(), func(tx *queue.Tx) error {
			_, _, found, err := q.Find(tx, 1)
			if !found {
				t.Error("the item is missing")
			}
			return err
		}))
		wantNil(t, s.Close())
		wantKind(t, s.View(t.Context(), func(*queue.Tx) error { return nil }), job.Unavailable)
	})
}

func TestManyCallersWhileRunEnds(t *testing.T) {
	t.Parallel()
	s := open(t, mem.New(), queue.Config{Group: 4})
	q := s.Queue("tasks", queue.QueueConfig{})
	stop := run(t, s)
	var accepted atomic.Int64
	var wg sync.WaitGroup
	for c := range int64(32) {
		wg.Go(func() {
			for key := c * 1000; ; key++ {
				err := push(s, q, key)
				if err != nil {
					if !job.Is(err, job.Unavailable) {
						t.Error(err)
					}
					return
				}
				if accepted.Add(1) == 200 {
					go stop()
				}
			}
		})
	}
	wg.Wait() // nobody hangs
	stop()
	wantNil(t, s.View(t.Context(), func(tx *queue.Tx) error {
		st, err := q.Stats(tx)
		if int64(st.Scheduled) != accepted.Load() {
			t.Errorf("%d items of %d accepted", st.Scheduled, accepted.Load())
		}
		return err
	}))
}

func TestViewChangesNothing(t *testing.T) {
	t.Parallel()
	s := open(t, mem.New(), queue.Config{})
	q := s.Queue("tasks", queue.QueueConfig{})
	for name, do := range map[string]func(tx *queue.Tx) error{
		"Push":    func(tx *queue.Tx) error { return q.Push(tx, queue.Item{Key: 1}) },
		"Claim":   func(tx *queue.Tx) error { _, err := q.Claim(tx, day, 1); return err },
		"Ack":     func(tx *queue.Tx) error { return q.Ack(tx, 1, day) },
		"SetMeta": func(tx *queue.Tx) error { return tx.SetMeta("id", []byte("1")) },
	} {
		if err := s.View(t.Context(), do); !job.Is(err, job.Internal) {
			t.Errorf("%s in a view: %v", name, err)
		}
	}
}

func TestMeta(t *testing.T) {
	t.Parallel()
	s := open(t, mem.New(), queue.Config{})
	stop := run(t, s)
	get := func() (value string, found bool) {
		wantNil(t, s.View(t.Context(), func(tx *queue.Tx) error {
			var b []byte
			b, found = tx.Meta("id")
			value = string(b)
			return nil
		}))
		return value, found
	}
	set := func(value []byte, end error) {
		err := s.Update(t.Context(), func(tx *queue.Tx) error {
			if err := tx.SetMeta("id", value); err != nil {
				return err
			}
			return end
		})
		if err != end { //nolint:errorlint // Update promises the very error, unwrapped.
			t.Error(err)
		}
	}
	for _, step := range []struct {
		set   []byte
		end   error
		want  string
		found bool
	}{
		{nil, nil, "", false},
		{[]byte("a"), errUndo, "", false},
		{[]byte("a"), nil, "a", true},
		{[]byte("b"), errUndo, "a", true},
		{[]byte{}, nil, "", true},
		{nil, errUndo, "", true},
		{nil, nil, "", false},
	} {
		set(step.set, step.end)
		if value, found := get(); value != step.want || found != step.found {
			t.Errorf("after %q (%v): got %q, %v", step.set, step.end, value, found)
		}
	}
	stop()
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, mem.New(), queue.Config{})
	q := s.Queue("tasks", queue.QueueConfig{})
	wantKind(t, s.View(t.Context(), func(tx *queue.Tx) error {
		_, err := q.List(tx, queue.Remembered, 0, 1)
		return err
	}), job.Invalid)
	defer func() {
		if recover() == nil {
			t.Error("a wrong name was accepted")
		}
	}()
	s.Queue("a.b", queue.QueueConfig{})
}
