package bolt_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/bolt"
	"github.com/orthd/orth/internal/queue/queuetest"
)

func open(tb testing.TB, path string) *bolt.Backend {
	tb.Helper()
	b, err := bolt.Open(path, bolt.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestSuite(t *testing.T) {
	t.Parallel()
	var paths sync.Map // *bolt.Backend to its path
	openAt := func(tb testing.TB, path string) queue.Backend {
		tb.Helper()
		b := open(tb, path)
		paths.Store(b, path)
		return b
	}
	queuetest.Run(t, func(tb testing.TB) queue.Backend {
		tb.Helper()
		return openAt(tb, filepath.Join(tb.TempDir(), "queue.db"))
	}, queuetest.Caps{
		Reopen: func(tb testing.TB, closed queue.Backend) queue.Backend {
			tb.Helper()
			path, _ := paths.Load(closed)
			return openAt(tb, path.(string))
		},
		Restore: func(tb testing.TB, backup []byte) queue.Backend {
			tb.Helper()
			path := filepath.Join(tb.TempDir(), "restored.db")
			if err := os.WriteFile(path, backup, 0o600); err != nil {
				tb.Fatal(err)
			}
			return openAt(tb, path)
		},
	})
}
