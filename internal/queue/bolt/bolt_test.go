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

func open(t testing.TB, path string) *bolt.Backend {
	t.Helper()
	b, err := bolt.Open(path, bolt.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSuite(t *testing.T) {
	t.Parallel()
	var paths sync.Map // *bolt.Backend to its path
	openAt := func(t testing.TB, path string) queue.Backend {
		b := open(t, path)
		paths.Store(b, path)
		return b
	}
	queuetest.Run(t, func(t testing.TB) queue.Backend {
		return openAt(t, filepath.Join(t.TempDir(), "queue.db"))
	}, queuetest.Caps{
		Reopen: func(t testing.TB, closed queue.Backend) queue.Backend {
			path, _ := paths.Load(closed)
			return openAt(t, path.(string))
		},
		Restore: func(t testing.TB, backup []byte) queue.Backend {
			path := filepath.Join(t.TempDir(), "restored.db")
			if err := os.WriteFile(path, backup, 0o600); err != nil {
				t.Fatal(err)
			}
			return openAt(t, path)
		},
	})
}
