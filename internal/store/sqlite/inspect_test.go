package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/job"
)

// A database is inspected while it is open and after that; damage, another program's
// file and none at all are told apart.
func TestInspect(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	if _, err := sqlite.Inspect(t.Context(), path); !job.Is(err, job.NotFound) {
		t.Errorf("none: %v", err)
	}
	db, err := sqlite.Open(path, sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	look := func(when string) {
		found, err := sqlite.Inspect(t.Context(), path)
		if err != nil || found.Damage != "" || found.Version != found.Newest || found.Version < 1 || found.Size == 0 {
			t.Errorf("%s: %+v, %v", when, found, err)
		}
	}
	look("open")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	look("closed")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sqlite.Inspect(gone, path); err == nil {
		t.Error("an inspection that was given up is none")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 3 * 4096; i < 4*4096 && i < len(text); i++ {
		text[i] = 0xA5
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := sqlite.Inspect(t.Context(), path); err == nil && found.Damage == "" {
		t.Errorf("damage is not seen: %+v", found)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	if err := os.WriteFile(other, []byte("nothing of the kind, and longer than a header of a database has to be to be read as one at all, so that it is refused"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Inspect(t.Context(), other); !job.Is(err, job.Invalid) {
		t.Errorf("another file: %v", err)
	}
}

// A path from the folder where the program runs is good too.
func TestInspectRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	db, err := sqlite.Open("orth.db", sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if found, err := sqlite.Inspect(t.Context(), "orth.db"); err != nil || found.Damage != "" {
		t.Errorf("%+v, %v", found, err)
	}
}
