// Package queuetest is the suite that a queue passes in every kind of folder.
//
// It knows what internal/queue promises and nothing of how that is kept. An
// opener of empty folders comes in; failed tests go out.
package queuetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// Caps is what can be done with a folder. A nil func means that it cannot, and
// the tests of it are left out.
type Caps struct {
	// Reopen opens again what a closed folder kept.
	Reopen func(tb testing.TB, closed queue.Disk) queue.Disk
	// Restore opens a copy written by Backup.
	Restore func(tb testing.TB, backup []byte) queue.Disk
}

// Run runs the suite. open returns a new, empty folder at each call; the
// suite closes it.
func Run(t *testing.T, open func(tb testing.TB) queue.Disk, caps Caps) {
	t.Helper()
	s := suite{open, caps}
	t.Run("places", s.places)
	t.Run("order", s.order)
	t.Run("kinds", s.kinds)
	t.Run("capacity", s.capacity)
	t.Run("remember", s.remember)
	t.Run("evict", s.evict)
	t.Run("fail", s.fail)
	t.Run("expire", s.expire)
	t.Run("pages", s.pages)
	t.Run("backlog", s.backlog)
	t.Run("isolation", s.isolation)
	t.Run("together", s.together)
	t.Run("model", s.model)
	if caps.Reopen != nil {
		t.Run("restart", s.restart)
	}
	if caps.Restore != nil {
		t.Run("backup", s.backup)
	}
}

type suite struct {
	open func(tb testing.TB) queue.Disk
	caps Caps
}

// rig is a store with its writer running.
type rig struct {
	disk  queue.Disk
	store *queue.Store
	stop  func() // ends the writer and closes the folder; may be repeated
}

func start(tb testing.TB, d queue.Disk, c queue.Config) *rig {
	tb.Helper()
	store, err := queue.Open(d, c)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	var run sync.WaitGroup
	run.Go(func() { _ = store.Run(ctx) })
	r := &rig{disk: d, store: store}
	r.stop = sync.OnceFunc(func() {
		cancel()
		run.Wait()
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	})
	tb.Cleanup(r.stop)
	return r
}

func (r *rig) update(tb testing.TB, fn func(tx *queue.Tx) error) {
	tb.Helper()
	if err := r.store.Update(tb.Context(), fn); err != nil {
		tb.Fatal(err)
	}
}

func (r *rig) view(tb testing.TB, fn func(tx *queue.Tx) error) {
	tb.Helper()
	if err := r.store.View(tb.Context(), fn); err != nil {
		tb.Fatal(err)
	}
}

// keys returns the keys of a place by Seq.
func (r *rig) keys(tb testing.TB, q *queue.Queue, p queue.Place) []int64 {
	tb.Helper()
	var keys []int64
	r.view(tb, func(tx *queue.Tx) error {
		items, err := q.List(tx, p, 0, 1000)
		for _, it := range items {
			keys = append(keys, it.Key)
		}
		return err
	})
	return keys
}

func (r *rig) stats(tb testing.TB, q *queue.Queue) queue.Stats {
	tb.Helper()
	var st queue.Stats
	r.view(tb, func(tx *queue.Tx) (err error) {
		st, err = q.Stats(tx)
		return err
	})
	return st
}

func equal(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Fatalf("%s: (-want +got)\n%s", what, diff)
	}
}

func ofKind(tb testing.TB, err error, want job.Kind) {
	tb.Helper()
	if job.KindOf(err) != want {
		tb.Fatalf("got the error %v of kind %q, want kind %q", err, job.KindOf(err), want)
	}
}

var (
	errUndo = errors.New("undo this")
	day     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)
