package sqlite

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(tb testing.TB, dir string) store.Store {
		tb.Helper()
		s, err := Open(filepath.Join(dir, "orth.db"), Config{})
		if err != nil {
			tb.Fatalf("open the store: %v", err)
		}
		return s
	})
}
