package wal_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/bolt"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/internal/queue/queuetest"
	"github.com/orthd/orth/internal/queue/wal"
)

// small has many checkpoints in a short test.
var small = wal.Config{Overlay: 6 << 10, LogBytes: 16 << 10}

func openMem(tb testing.TB, path string, inner *mem.Backend, c wal.Config) *wal.Log {
	tb.Helper()
	l, err := wal.Open(path, inner, c)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// openBolt opens queue.db, queue.log and queue.log2 in a folder.
func openBolt(tb testing.TB, dir string, c wal.Config) *wal.Log {
	tb.Helper()
	inner, err := bolt.Open(filepath.Join(dir, "queue.db"), bolt.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	l, err := wal.Open(filepath.Join(dir, "queue.log"), inner, c)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func TestSuiteOnBolt(t *testing.T) {
	t.Parallel()
	var dirs sync.Map // *wal.Log to its folder
	openAt := func(tb testing.TB, dir string) queue.Backend {
		tb.Helper()
		l := openBolt(tb, dir, small)
		dirs.Store(l, dir)
		return l
	}
	queuetest.Run(t, func(tb testing.TB) queue.Backend { tb.Helper(); return openAt(tb, tb.TempDir()) }, queuetest.Caps{
		Reopen: func(tb testing.TB, closed queue.Backend) queue.Backend {
			tb.Helper()
			dir, _ := dirs.Load(closed)
			return openAt(tb, dir.(string))
		},
		Restore: func(tb testing.TB, backup []byte) queue.Backend { // without a log
			tb.Helper()
			path := filepath.Join(tb.TempDir(), "restored.db")
			if err := os.WriteFile(path, backup, 0o600); err != nil {
				tb.Fatal(err)
			}
			b, err := bolt.Open(path, bolt.Config{})
			if err != nil {
				tb.Fatal(err)
			}
			return b
		},
	})
}

func TestSuiteOnMem(t *testing.T) {
	t.Parallel()
	type home struct {
		path  string
		inner *mem.Backend
	}
	var homes sync.Map // *wal.Log to its home
	openAt := func(tb testing.TB, h home) queue.Backend {
		tb.Helper()
		l := openMem(tb, h.path, h.inner, small)
		homes.Store(l, h)
		return l
	}
	queuetest.Run(t, func(tb testing.TB) queue.Backend {
		tb.Helper()
		return openAt(tb, home{filepath.Join(tb.TempDir(), "queue.log"), mem.New()})
	}, queuetest.Caps{
		Reopen: func(tb testing.TB, closed queue.Backend) queue.Backend {
			tb.Helper()
			h, _ := homes.Load(closed)
			return openAt(tb, home{h.(home).path, h.(home).inner.Reopen()})
		},
	})
}

// TestBoltAloneAndWithLog changes between a file with and one without a log.
func TestBoltAloneAndWithLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	alone := func() queue.Backend {
		b, err := bolt.Open(filepath.Join(dir, "queue.db"), bolt.Config{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	logged := func() queue.Backend { return openBolt(t, dir, wal.Config{}) }
	for round, open := range []func() queue.Backend{alone, logged, logged, alone, logged} {
		s, err := queue.Open(open(), queue.Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var run sync.WaitGroup
		run.Go(func() { _ = s.Run(ctx) })
		q := s.Queue("tasks", queue.QueueConfig{})
		var st queue.Stats
		err = s.Update(t.Context(), func(tx *queue.Tx) error {
			if err := q.Push(tx, queue.Item{Key: int64(round)}); err != nil {
				return err
			}
			st, err = q.Stats(tx)
			return err
		})
		if err != nil || st.Scheduled != round+1 {
			t.Errorf("round %d: %+v, %v", round, st, err)
		}
		stop()
		run.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"queue.log", "queue.log2"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}
