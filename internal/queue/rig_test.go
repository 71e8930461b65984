package queue_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

var (
	errFull = errors.New("no space left on device")
	errUndo = errors.New("undo this")
	day     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

func open(t *testing.T, b queue.Disk, c queue.Config) *queue.Store {
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

func wantNil(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
