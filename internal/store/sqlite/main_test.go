package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	t.Parallel()
	empty, told := emptyDatabase(t), &listeners{of: make(map[string]*listener)}
	storetest.Run(t, func(tb testing.TB, dir string) store.Store {
		tb.Helper()
		path := filepath.Join(dir, "orth.db")
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if err := os.WriteFile(path, empty, 0o600); err != nil {
				tb.Fatalf("begin a database: %v", err)
			}
		}
		yes := func(*alarm.Event) bool { return true }
		s, err := Open(path, Config{Hooks: sqlstore.Hooks{Wanted: yes, Timed: yes, Watched: storetest.Watched, Changed: told.at(path).hear}})
		if err != nil {
			tb.Fatalf("open the store: %v", err)
		}
		return &heard{Store: s, tb: tb, path: path, told: told.at(path)}
	})
}

// emptyDatabase returns a database with the newest schema and no rows, whose next runs lie in
// two spans. Each test begins with a copy: making the schema takes longer than most of them.
func emptyDatabase(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "orth.db")
	s, err := Open(path, Config{})
	if err != nil {
		t.Fatalf("make the schema: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("close an empty database: %v", err)
	}
	alter(t, path, fmt.Sprintf("UPDATE sequences SET next = %d WHERE name = 'runs'", 1<<spanBits-5))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Fatal("a closed database has a log beside it")
	}
	return text
}
