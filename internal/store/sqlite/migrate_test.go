package sqlite

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// A migration that was applied somewhere must never change: add a new one.
func TestMigrationsNeverChange(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var golden strings.Builder
	for i, name := range names {
		raw, err := migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(name, fmt.Sprintf("migrations/%04d_", i+1)) {
			t.Errorf("%s is not number %d", name, i+1)
		}
		if strings.Contains(string(raw), "+goose Down") {
			t.Errorf("%s goes backwards", name)
		}
		fmt.Fprintf(&golden, "%x  %s\n", sha256.Sum256(raw), filepath.Base(name))
	}
	compare(t, "migrations.sha256", golden.String())
}

// The schema refuses what the words do not know, and rows that contradict
// themselves.
func TestSchemaChecks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	mustClose(t, mustOpen(t, path, Config{}))
	db, err := pool(path, 1, writeSettings(&Config{}))
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, db)
	id := 0
	run := func(state job.State, cause job.Cause) error {
		id++
		var ready any
		if state.Waiting() {
			ready = 1
		}
		_, err := db.ExecContext(t.Context(), `INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id,
			state, ready_at, due_at, created_at) VALUES (?, 1, 1, 1, 1, ?, ?, ?, ?, 1, 1)`, id, string(cause), id, string(state), ready)
		return err
	}
	attempt := func(state job.State) error {
		id++
		var open, check any
		if !state.Final() {
			open = "http://1"
		}
		if state == job.Dispatched {
			check = 1
		}
		_, err := db.ExecContext(t.Context(), `INSERT INTO attempts (id, run_id, job_id, number, address, state, triggered_at,
			open_on, check_at) VALUES (?, 1, 1, 1, 'http://1', ?, 1, ?, ?)`, id, string(state), open, check)
		return err
	}
	for _, state := range job.States() {
		if err := run(state, job.CauseSchedule); err != nil {
			t.Errorf("a run may not be %s: %v", state, err)
		}
		if err := attempt(state); (err == nil) == state.Waiting() {
			t.Errorf("an attempt that is %s: %v", state, err)
		}
	}
	for _, cause := range []job.Cause{
		job.CauseSchedule, job.CauseMisfire, job.CauseManual, job.CauseAPI, job.CauseParent, job.CauseRetry, job.CauseBackfill,
	} {
		if err := run(job.Planned, cause); err != nil {
			t.Errorf("a run may not have the cause %s: %v", cause, err)
		}
	}
	for name, err := range map[string]error{
		"an unknown state of a run":      run("odd", job.CauseSchedule),
		"an unknown cause":               run(job.Planned, "odd"),
		"an unknown state of an attempt": attempt("odd"),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for _, wrong := range []string{
		"UPDATE runs SET ready_at = NULL WHERE state = 'planned'",
		"UPDATE runs SET ready_at = 1 WHERE state = 'succeeded'",
		"UPDATE attempts SET open_on = NULL WHERE state = 'running'",
		"UPDATE attempts SET open_on = 'x' WHERE state = 'lost'",
		"UPDATE attempts SET check_at = 1 WHERE state = 'running'",
		"INSERT INTO executors VALUES (99, 'http://1', 1, 1, 1)", // no such group
	} {
		if _, err := db.ExecContext(t.Context(), wrong); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
