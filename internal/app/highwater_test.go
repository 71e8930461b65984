package app

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// openData opens the database of a data folder as a server does.
func openData(t *testing.T, data string, log *bytes.Buffer) (*database, error) {
	t.Helper()
	return openDatabase(&Config{Data: data, Logger: slog.New(slog.NewTextHandler(log, nil))}, sqlstore.Hooks{})
}

// nextRun opens the database, draws a number and closes it again.
func nextRun(t *testing.T, data string, log *bytes.Buffer) int64 {
	t.Helper()
	db, err := openData(t, data, log)
	if err != nil {
		t.Fatal(err)
	}
	stop := lifecycletest.Start(t, db.Run)
	id, err := db.NextRunID(t.Context())
	if err != nil {
		t.Error(err)
	}
	if _, err := db.NextAttemptID(t.Context()); err != nil {
		t.Error(err)
	}
	stop()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	return id
}

// The data folder knows which numbers were given: a database of before gives none of them
// again, and none is made in the place of one that is gone.
func TestDatabaseOfBefore(t *testing.T) {
	t.Parallel()
	data, log := t.TempDir(), new(bytes.Buffer)
	file := filepath.Join(data, "orth.db")
	if id := nextRun(t, data, log); id != 1 {
		t.Errorf("the first number is %d", id)
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	nextRun(t, data, log)
	last := nextRun(t, data, log)
	if text, err := os.ReadFile(filepath.Join(data, highWaterFile)); err != nil || string(text) != `{"database":"sqlite","numbers":3001}`+"\n" {
		t.Errorf("noted %s, %v", text, err)
	}
	if log.Len() > 0 {
		t.Errorf("logged %s", log)
	}
	if err := os.WriteFile(file, old, 0o600); err != nil { // a copy, put back without a word
		t.Fatal(err)
	}
	if id := nextRun(t, data, log); id < last+1_000_000 {
		t.Errorf("number %d follows %d", id, last)
	}
	if !strings.Contains(log.String(), "the database has gone back") {
		t.Errorf("logged %s", log)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if db, err := openData(t, data, log); !job.Is(err, job.NotFound) || !strings.Contains(err.Error(), file) {
		t.Errorf("a missing database: %v, %v", db, err)
	}
	if err := os.Remove(filepath.Join(data, highWaterFile)); err != nil {
		t.Fatal(err)
	}
	if id := nextRun(t, data, log); id != 1 {
		t.Errorf("an empty database begins with number %d", id)
	}
}

// A mark that cannot be read, or written, keeps no server from its work.
func TestHighWaterIsNoCondition(t *testing.T) {
	t.Parallel()
	data, log := t.TempDir(), new(bytes.Buffer)
	if err := os.WriteFile(filepath.Join(data, highWaterFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	nextRun(t, data, log)
	if !strings.Contains(log.String(), highWaterFile) {
		t.Errorf("logged %s", log)
	}
	log.Reset()
	if err := os.Mkdir(filepath.Join(data, highWaterFile+".new"), 0o700); err != nil {
		t.Fatal(err)
	}
	nextRun(t, data, log)
	if n := strings.Count(log.String(), "cannot be noted"); n != 1 {
		t.Errorf("told %d times: %s", n, log)
	}
}
