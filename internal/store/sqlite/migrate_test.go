package sqlite

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// A migration of a release must never change: add a new one. Until the first release the
// baseline may: change it in the folders of all three databases, and run this test with -update.
// Databases of the builds before are then refused.
func TestMigrationsNeverChange(t *testing.T) {
	t.Parallel()
	var golden strings.Builder
	for _, database := range []string{"mysql", "postgres", "sqlite"} {
		files, err := filepath.Glob(filepath.Join("..", database, "migrations", "*.sql"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has the migrations %v, %v", database, files, err)
		}
		for i, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(file)
			if i > 0 && name[:len("0000")] <= filepath.Base(files[i-1])[:len("0000")] {
				t.Errorf("%s has the number of %s", file, files[i-1])
			}
			if strings.Contains(string(raw), "+goose Down") {
				t.Errorf("%s goes backwards", file)
			}
			fmt.Fprintf(&golden, "%x  %s/%s\n", sha256.Sum256(raw), database, name)
		}
	}
	compare(t, "migrations.sha256", golden.String())
}

// The schema refuses what the words do not know, and rows that contradict
// themselves.
func TestSchemaChecks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	mustClose(t, mustOpen(t, path, Config{}))
	db, err := openPool(path, 1, writeSettings(&Config{}))
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, db)
	alter(t, path,
		`INSERT INTO executor_groups (id, namespace, group_key, title, created_at) VALUES (1, 'default', 'workers', '', 1000)`,
		`INSERT INTO jobs (id, tombstone, version, group_id, created_at, updated_at, schedule,
			misfire, route, overlap, on_crash, timeout_ms, retry, children, namespace, job_key, title, handler, param)
			VALUES (1, 0, 1, 1, 1, 1, '{}', '', '', '', '', 0, '{}', '[]', 'default', 'a', '', '{}', '')`,
		`INSERT INTO job_plans (job_id, enabled, next_at, look_at) VALUES (1, 1, 5000, 5000)`,
		`INSERT INTO backfills (id, job_id, step, look_at, state, reason, from_at, to_at, slots, first_at, last_at, parallel,
			spacing_ms, skip_succeeded, made, skipped, succeeded, failed, open_runs, created_at)
			VALUES (1, 1, 1, 5, 'running', '', 1, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, '[]', 1)`,
		`INSERT INTO workflow_runs (id, workflow_id, namespace, workflow_key, version, nodes, step, look_at, state, reason, param,
			generation, total, done, failed, created_at) VALUES (1, 1, 'default', 'w', 1, '[]', 1, 5, 'running', '', '', 1, 1, 0, 0, 1)`,
		`INSERT INTO dead_letters (run_id, job_id, group_id, namespace, state, status, ended_at, closed_reason, message)
			VALUES (1, 1, 1, 'default', 'failed', 'open', 1, '', '')`,
		`INSERT INTO workflow_nodes VALUES (1, 0, 1, 'waiting', 0, 1, '', '', NULL, NULL)`,
	)
	id := 0
	run := func(state job.State, cause job.Cause) error {
		id++
		var ready, sent, open, check any
		switch state {
		case job.Planned, job.Queued, job.WaitingRetry:
			ready = 1
		case job.Dispatched:
			sent, open, check = 1, "http://1", 1
		case job.Running, job.Stopping:
			sent, open = 1, "http://1"
		default:
			sent = 1
		}
		_, err := db.ExecContext(t.Context(), `INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id,
			state, ready_at, due_at, created_at, triggered_at, open_on, check_at) VALUES (?, 1, 1, 1, 1, ?, ?, ?, ?, 1, 1, ?, ?, ?)`,
			id, string(cause), id, string(state), ready, sent, open, check)
		return err
	}
	for _, state := range job.States() {
		if err := run(state, job.CauseSchedule); err != nil {
			t.Errorf("a run may not be %s: %v", state, err)
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
		"a run that is over and has a due time": func() error {
			if err := run(job.Succeeded, job.CauseSchedule); err != nil {
				t.Fatal(err)
			}
			_, err := db.ExecContext(t.Context(), "UPDATE runs SET ready_at = 1 WHERE id = ?", id)
			return err
		}(),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for _, wrong := range []string{
		"UPDATE runs SET ready_at = NULL WHERE state = 'planned'",
		"UPDATE runs SET ready_at = 1 WHERE state = 'succeeded'",
		"UPDATE runs SET open_on = NULL WHERE state = 'running'",
		"UPDATE runs SET open_on = NULL WHERE state = 'stopping'",
		"UPDATE runs SET open_on = 'x' WHERE state = 'lost'",
		"UPDATE runs SET open_job = 1 WHERE state = 'lost'",
		"UPDATE runs SET check_at = 1 WHERE state = 'running'",
		"UPDATE runs SET check_at = NULL WHERE state = 'dispatched'",
		"UPDATE runs SET triggered_at = NULL WHERE state = 'running'",
		"UPDATE runs SET accepted_at = 1 WHERE state = 'queued'",
		"UPDATE runs SET attempt_state = 'failed' WHERE state = 'queued'",
		`INSERT INTO executor_groups (id, namespace, group_key, title, created_at) VALUES (9, 'team', 'workers', '', 1)`, // its key in two namespaces
		`INSERT INTO executors (group_id, address, lease_until, registered_at, seen_at, features)
			VALUES (99, 'http://1', 1, 1, 1, '[]')`, // no such group
		"INSERT INTO job_calendars VALUES (99, 1)", // no such calendar
		"UPDATE job_plans SET look_at = NULL WHERE job_id = 1",
		"UPDATE job_plans SET next_at = NULL WHERE job_id = 1",
		"UPDATE job_plans SET awaits = 1 WHERE job_id = 1",
		"UPDATE job_plans SET awaits = 1, enabled = 0, next_at = NULL, look_at = NULL WHERE job_id = 1",
		"UPDATE backfills SET look_at = NULL WHERE id = 1",
		"UPDATE backfills SET state = 'finished' WHERE id = 1",
		"UPDATE backfills SET state = 'odd', look_at = NULL WHERE id = 1",
		"UPDATE dead_letters SET status = 'redriven' WHERE run_id = 1", // without a run
		"UPDATE dead_letters SET redriven_run = 7 WHERE run_id = 1",
		"UPDATE dead_letters SET status = 'closed' WHERE run_id = 1", // without when
		"UPDATE workflow_runs SET look_at = NULL WHERE id = 1",
		"UPDATE workflow_runs SET state = 'failed' WHERE id = 1",
		"UPDATE workflow_runs SET state = 'odd', look_at = NULL WHERE id = 1",
		"UPDATE workflow_nodes SET state = 'running' WHERE workflow_run_id = 1", // without a run
		"UPDATE workflow_nodes SET state = 'odd' WHERE workflow_run_id = 1",
		"INSERT INTO workflow_nodes VALUES (9, 0, 1, 'waiting', 0, 1, '', '', NULL, NULL)", // no such workflow run
	} {
		if _, err := db.ExecContext(t.Context(), wrong); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// The steps of a file are read by a path that is not whole, as that of a data folder often is.
func TestStepsOfARelativePath(t *testing.T) { //nolint:paralleltest // It changes the folder of the process.
	t.Chdir(t.TempDir())
	path := filepath.Join("data", "orth.db")
	s, err := Open(path, Config{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	found, err := Steps(t.Context(), path)
	if err != nil || len(found.Steps) == 0 || found.Version() != found.Steps[len(found.Steps)-1].Number || found.Refused != nil {
		t.Errorf("%+v, %v", found, err)
	}
}

// A database of a development build is refused: the file stays as it is.
func TestOpenRefusesADevelopmentBuild(t *testing.T) {
	t.Parallel()
	path := file(t)
	mustClose(t, mustOpen(t, path, Config{}))
	alter(t, path,
		"UPDATE schema_steps SET name = 'first' WHERE number = 1",
		"INSERT INTO schema_versions (version_id, is_applied) VALUES (2, 1), (50, 1)",
		"PRAGMA wal_checkpoint(TRUNCATE)",
	)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := Open(path, Config{})
		refused(t, err, job.Invalid, path, "schema version 50 of a development build")
		if hint := err.(*job.Error).Hint; !strings.Contains(hint, "orth export") || !strings.Contains(hint, "another data folder") { //nolint:errorlint // As refused has it.
			t.Errorf("the hint is %q", hint)
		}
	}
	state, err := Steps(t.Context(), path)
	if err != nil || state.Refused == nil || !strings.Contains(state.Refused.Message, "development build") {
		t.Errorf("the steps: %+v, %v", state, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// Damage to one calendar or pause is for those alone who need it: it is listed,
// and it does not compile.
func TestUnreadableRules(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	mustClose(t, mustOpen(t, path, Config{}))
	alter(t, path,
		`INSERT INTO calendars VALUES (1, 'default', 'broken', '', '{"dates":', 1, 1, 1)`,
		`INSERT INTO calendars VALUES (2, 'default', 'odd', '', '{"dates":[{"date":"never"}]}', 1, 1, 1)`,
		`INSERT INTO calendars VALUES (3, 'default', 'whole', '', '{}', 1, 1, 1)`,
		`INSERT INTO pauses (id, pause_key, definition, version, created_at) VALUES (1, 'broken', 'x', 1, 1), (2, 'whole', '{"from":"2026-01-01T00:00:00Z"}', 1, 1)`,
	)
	s := mustOpen(t, path, Config{})
	start(t, s)
	rules, err := s.Rules(t.Context(), 0)
	if err != nil || len(rules.Calendars) != 3 || len(rules.Pauses) != 2 {
		t.Fatalf("the rules: %+v, %v", rules, err)
	}
	for _, c := range rules.Calendars {
		if _, err := c.Rules.Compile(); (err == nil) != (c.Key == "whole") {
			t.Errorf("calendar %s compiles: %v", c.Key, err)
		}
	}
	for _, p := range rules.Pauses {
		if _, err := p.Compile(); (err == nil) != (p.Key == "whole") {
			t.Errorf("pause %s compiles: %v", p.Key, err)
		}
	}
	if rules.Pauses[0].ID != 1 || rules.Pauses[0].Reason == "" {
		t.Errorf("the broken pause: %+v", rules.Pauses[0])
	}
	c, err := s.Calendar(t.Context(), "default", "broken")
	if err != nil {
		t.Fatal(err)
	}
	c.Rules = rules.Calendars[2].Rules
	if c, err = s.SaveCalendar(t.Context(), c); err != nil || c.Version != 2 {
		t.Errorf("mended: %+v, %v", c, err)
	}
}
