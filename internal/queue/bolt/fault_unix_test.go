//go:build !windows

package bolt_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// TestUnreadablePageIsAnError cuts a file that is in use, so that reading it
// is a fault of the memory map: an error, not the end of the process.
func TestUnreadablePageIsAnError(t *testing.T) {
	t.Parallel()
	for name, use := range map[string]func(queue.Backend, func(queue.Txn) error) error{
		"view":   queue.Backend.View,
		"update": queue.Backend.Update,
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, filled(t), 0o600); err != nil {
			t.Fatal(err)
		}
		b := open(t, path)
		rows := 0
		read := func(tx queue.Txn) error {
			for range tx.Walk("tasks.scheduled", nil) {
				if rows++; rows > 1 {
					continue
				}
				if err := os.Truncate(path, 8192); err != nil {
					return err
				}
			}
			return nil
		}
		if err := use(b, read); err == nil || rows != 1 {
			t.Errorf("%s: %v after %d rows", name, err, rows)
		}
		if err := use(b, func(queue.Txn) error { t.Error("called"); return nil }); err == nil {
			t.Errorf("%s: no error from then on", name)
		}
		if err := b.Close(); err == nil {
			t.Errorf("%s: closed as if nothing had been", name)
		}
	}
}

// TestUnreadablePageStopsTheStore has the fault happen in a caller's function,
// beside a neighbour whose change must not be committed by a broken engine.
func TestUnreadablePageStopsTheStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "queue.db")
	if err := os.WriteFile(path, filled(t), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := queue.Open(open(t, path), queue.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { _ = s.Run(ctx) })
	q := s.Queue("tasks", queue.QueueConfig{})
	err = s.Update(t.Context(), func(tx *queue.Tx) error {
		if err := os.Truncate(path, 8192); err != nil {
			return err
		}
		_, _, _, err := q.Find(tx, 77)
		return err
	})
	if !job.Is(err, job.Unavailable) {
		t.Errorf("got %v", err)
	}
	err = s.Update(t.Context(), func(tx *queue.Tx) error { return tx.SetMeta("id", nil) })
	if !job.Is(err, job.Unavailable) {
		t.Errorf("then got %v", err)
	}
	cancel()
	run.Wait()
}

func TestPanicOfACallerGoesOn(t *testing.T) {
	t.Parallel()
	b := open(t, filepath.Join(t.TempDir(), "queue.db"))
	for _, use := range []func(func(queue.Txn) error) error{b.Update, b.View} {
		func() {
			defer func() {
				if p := recover(); p != "mine" {
					t.Errorf("got the panic %v", p)
				}
			}()
			_ = use(func(queue.Txn) error { panic("mine") })
		}()
		if err := b.Update(func(tx queue.Txn) error { return tx.Put("b", []byte("k"), []byte("v")) }); err != nil {
			t.Errorf("after a caller's panic: %v", err)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
