package queue_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	errFull = errors.New("no space left on device")
	errUndo = errors.New("undo this")
	day     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// failing is a back end whose commits can fail.
type failing struct {
	queue.Backend
	fail    atomic.Bool
	undone  atomic.Bool // and are known to have left nothing
	commits atomic.Int64
}

func (f *failing) Update(fn func(queue.Txn) error) error {
	return f.Backend.Update(func(tx queue.Txn) error {
		if err := fn(tx); err != nil {
			return err
		}
		switch {
		case f.fail.Load() && f.undone.Load():
			return fmt.Errorf("%w: %w", queue.ErrUndone, errFull)
		case f.fail.Load():
			return errFull
		}
		f.commits.Add(1)
		return nil
	})
}

func open(t *testing.T, b queue.Backend, c queue.Config) *queue.Store {
	t.Helper()
	s, err := queue.Open(b, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run starts the writer and returns what ends it.
func run(t *testing.T, s *queue.Store) (stop func()) {
	t.Helper()
	stop = lifecycletest.Start(t, s.Run)
	return stop
}

func push(s *queue.Store, q *queue.Queue, key int64) error {
	return s.Update(context.Background(), func(tx *queue.Tx) error {
		return q.Push(tx, queue.Item{Key: key, Body: []byte("body")})
	})
}

func wantKind(t *testing.T, err error, want job.Kind) {
	t.Helper()
	if job.KindOf(err) != want {
		t.Fatalf("got the error %v of kind %q, want kind %q", err, job.KindOf(err), want)
	}
}

// gate holds the writer, so that a group gathers behind it.
func gate(s *queue.Store) (open func()) {
	held, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Update(context.Background(), func(*queue.Tx) error {
			close(held)
			<-release
			return nil
		})
	})
	<-held
	return func() { close(release); wg.Wait() }
}

// refusing is a back end that takes nothing into processing.
type refusing struct {
	queue.Backend
	refuse atomic.Bool
}

type refusingTxn struct{ queue.Txn }

func (r refusingTxn) Put(bucket string, key, value []byte) error {
	if bucket == "tasks.processing" {
		return errFull
	}
	return r.Txn.Put(bucket, key, value)
}

func (r *refusing) Update(fn func(queue.Txn) error) error {
	return r.Backend.Update(func(tx queue.Txn) error {
		if r.refuse.Load() {
			tx = refusingTxn{tx}
		}
		return fn(tx)
	})
}

func wantNil(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
