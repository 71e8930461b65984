package sqlite

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
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
		if i > 0 && name[:len("migrations/0000")] <= names[i-1][:len("migrations/0000")] {
			t.Errorf("%s has the number of %s", name, names[i-1])
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
		`INSERT INTO dead_letters VALUES (1, 1, 1, 'default', 'failed', 'open', 1, NULL, NULL, '', '')`, //nolint:dupword // Two columns.
		`INSERT INTO workflow_nodes VALUES (1, 0, 1, 'waiting', 0, 1, '', '', NULL, NULL)`,
	)
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
		if err := attempt(state); (err == nil) == (state.Waiting() || state == job.Stopping) {
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
		"a run that is over and has a due time": func() error {
			if err := run(job.Succeeded, job.CauseSchedule); err != nil {
				t.Fatal(err)
			}
			_, err := db.ExecContext(t.Context(), "UPDATE runs SET ready_at = 1 WHERE id = ?", id)
			return err
		}(),
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

// A database that an earlier Orth made is brought up to date as it is opened,
// with all that it holds.
func TestUpgradeFromTheFirstSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	makeFirst(t, path)
	s := mustOpen(t, path, Config{})
	start(t, s)

	want := job.Job{
		ID: 5, Namespace: "default", Key: "old", GroupID: 1, Group: "workers", Enabled: true, Version: 3,
		Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute}, Misfire: schedule.MisfireSkip,
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"}, Param: "p", Route: job.RouteRound,
		Overlap: job.OverlapSerial, OverlapScope: job.ScopeExecutor, OnCrash: job.CrashReport, NextAt: job.FromMillis(90_000),
		CreatedAt: job.FromMillis(1000), UpdatedAt: job.FromMillis(2000),
	}
	got, err := s.Job(t.Context(), "default", "old")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("the job (%v, -want +got):\n%s", err, diff)
	}
	executors, err := s.Leases(t.Context(), job.FromMillis(1))
	if err != nil || len(executors) != 1 || executors[0].Address != "http://1" || executors[0].Features != nil {
		t.Errorf("the executors: %+v, %v", executors, err)
	}
	claimed, err := s.ClaimRuns(t.Context(), dispatcher.Claim{
		Groups: []int64{1}, Until: job.FromMillis(99_000), Lease: job.FromMillis(99_999), Limit: 9,
	})
	if err != nil || len(claimed.Runs) != 1 || claimed.Runs[0].ID != 7 || claimed.Runs[0].State != job.WaitingRetry || claimed.Runs[0].Avoid != "" {
		t.Errorf("the waiting run: %+v, %v", claimed, err)
	}

	got.Labels, got.Overlap, got.Concurrency = map[string]string{"a": "b"}, job.OverlapConcurrent, 2
	if got, err = s.SaveJob(t.Context(), got, ""); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Job(t.Context(), "default", "old"); err != nil || !cmp.Equal(again, got) {
		t.Errorf("saved with the new words: %v\n%s", err, cmp.Diff(got, again))
	}
}

// Groups of before namespaces of their own stay where they were, with all that they
// have, and no other gets the key of one.
func TestUpgradeOfGroups(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	makeSchema(t, path, 35)
	alter(t, path,
		`INSERT INTO executor_groups (id, namespace, group_key, title, created_at, labels, rewrites, version)
			VALUES (1, 'default', 'workers', 'Old', 1000, '{"owner":"data"}', '[{"from":"http://a","to":"http://b"}]', 3)`,
		`INSERT INTO executors (group_id, address, lease_until, registered_at, seen_at, features) VALUES (1, 'http://1', 90000, 1000, 2000, '[]')`,
		`UPDATE sequences SET next = 2 WHERE name = 'groups'`,
	)
	s := mustOpen(t, path, Config{})
	start(t, s)

	found, err := s.GroupPage(t.Context(), catalog.GroupQuery{Sight: access.Sight{All: true}, Limit: 9})
	want := job.Group{ID: 1, Namespace: "default", Key: "workers", Title: "Old", Labels: map[string]string{"owner": "data"}, Version: 3, CreatedAt: job.FromMillis(1000)}
	if err != nil || len(found) != 1 || !cmp.Equal(found[0].Group, want) {
		t.Errorf("the groups: %+v, %v", found, err)
	}
	rules, err := s.Rewrites(t.Context())
	if err != nil || len(rules["workers"]) != 1 {
		t.Errorf("the rules: %v, %v", rules, err)
	}
	executors, err := s.Leases(t.Context(), job.FromMillis(1))
	if err != nil || len(executors) != 1 || executors[0].Namespace != "default" {
		t.Errorf("the executors: %+v, %v", executors, err)
	}
	if _, err := s.CreateGroup(t.Context(), job.Group{Namespace: "team", Key: "workers"}); !job.Is(err, job.Conflict) {
		t.Errorf("another one with its key: %v", err)
	}
	db, err := pool(path, 1, writeSettings(&Config{}))
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, db)
	if _, err := db.ExecContext(t.Context(), `INSERT INTO executor_groups (id, namespace, group_key, title, created_at) VALUES (9, 'team', 'workers', '', 1)`); err == nil {
		t.Error("the schema takes the same key in two namespaces")
	}
}

// A slot that has got two runs under two causes keeps both.
func TestUpgradeOfSlots(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	makeSchema(t, path, 44)
	run := `INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, due_at, created_at) VALUES `
	alter(t, path, run+`(1, 5, 1, 1, 1000, 'schedule', 0, 'succeeded', 0, 0)`, run+`(2, 5, 1, 1, 1000, 'misfire', 0, 'succeeded', 0, 0)`,
		run+`(3, 5, 1, 1, 2000, 'misfire', 0, 'succeeded', 0, 0)`)
	mustClose(t, mustOpen(t, path, Config{}))
	db, err := pool(path, 1, writeSettings(&Config{}))
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, db)
	var found string
	row := db.QueryRowContext(t.Context(), "SELECT group_concat(id || ' ' || planned_at || ' ' || firing, ', ') FROM (SELECT id, planned_at, firing FROM runs ORDER BY id)")
	if err := row.Scan(&found); err != nil || found != "1 1000 schedule, 2 1001 schedule, 3 2000 schedule" {
		t.Errorf("%s, %v", found, err)
	}
}

// A database of the schema before schedules had calendars, pauses and an end
// goes on where it stood: what was due is due, and what was not is not.
func TestUpgradeFromTheSecondSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	makeSchema(t, path, 2)
	insert := func(id, tombstone int, key, enabled, next string) string {
		return fmt.Sprintf(`INSERT INTO jobs (id, tombstone, version, group_id, enabled, next_at, last_at, created_at, updated_at,
			schedule, misfire, route, overlap, on_crash, timeout_ms, retry, children, namespace, job_key, title, handler, param,
			concurrency, labels) VALUES (%d, %d, 3, 1, %s, %s, 80000, 1000, 2000, '{"kind":"every","every":60000000000}',
			'fire_once', 'round', 'serial', 'report', 0, '{}', '[]', 'default', '%s', '', '{"kind":"named","name":"demo"}', 'p',
			2, '{"a":"b"}')`, id, tombstone, enabled, next, key)
	}
	alter(t, path,
		`INSERT INTO executor_groups (id, namespace, group_key, title, created_at) VALUES (1, 'default', 'workers', '', 1000)`,
		insert(5, 0, "due", "1", "90000"), insert(6, 0, "stopped", "0", "NULL"), insert(8, 8, "gone", "0", "NULL"),
		`INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, ready_at, due_at, created_at)
			VALUES (7, 5, 3, 1, 1000, 'manual', 7, 'planned', 20000, 3000, 1000)`,
	)
	s := mustOpen(t, path, Config{})
	start(t, s)

	spec := schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute}
	due, err := s.DueJobs(t.Context(), job.FromMillis(999_000), 9)
	want := []planner.Due{{
		JobID: 5, Version: 3, Namespace: "default", GroupID: 1, Next: job.FromMillis(90_000), Look: job.FromMillis(90_000),
		Last: job.FromMillis(80_000), Since: job.FromMillis(2_000), Schedule: spec, Misfire: schedule.MisfireFireOnce,
	}}
	if diff := cmp.Diff(want, due); diff != "" || err != nil {
		t.Errorf("the due jobs (%v, -want +got):\n%s", err, diff)
	}
	if next, ok, err := s.NextDue(t.Context()); !ok || err != nil || !next.Equal(job.FromMillis(90_000)) {
		t.Errorf("the next look is %v, %v, %v", next, ok, err)
	}
	stopped, err := s.Job(t.Context(), "default", "stopped")
	if err != nil || stopped.Enabled || stopped.StopReason != "" || stopped.Labels["a"] != "b" {
		t.Errorf("the stopped job: %+v, %v", stopped, err)
	}
	claimed, err := s.ClaimRuns(t.Context(), dispatcher.Claim{
		Groups: []int64{1}, Until: job.FromMillis(20_000), Lease: job.FromMillis(99_999), Limit: 9,
	})
	if err != nil || len(claimed.Runs) != 1 || !claimed.Runs[0].DueAt.Equal(job.FromMillis(3000)) {
		t.Errorf("the waiting run: %+v, %v", claimed, err)
	}
	rules, err := s.Rules(t.Context(), 0)
	if err != nil || rules == nil || rules.Version < 1 {
		t.Errorf("the rules: %+v, %v", rules, err)
	}
	done, err := s.CommitPlan(t.Context(), []planner.Move{{
		JobID: 5, Version: 3, From: job.FromMillis(90_000), Next: job.FromMillis(150_000),
	}})
	if err != nil || len(done) != 1 || !done[0] {
		t.Errorf("a plan: %v, %v", done, err)
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
		`INSERT INTO pauses VALUES (1, 'broken', 'x', 1, 1), (2, 'whole', '{"from":"2026-01-01T00:00:00Z"}', 1, 1)`,
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

// makeFirst makes a database as the first migration alone leaves it, with a job,
// an executor and a run in it.
func makeFirst(t *testing.T, path string) {
	t.Helper()
	makeSchema(t, path, 1)
	alter(t, path,
		`INSERT INTO executor_groups (id, namespace, group_key, title, created_at) VALUES (1, 'default', 'workers', '', 1000)`,
		`INSERT INTO executors VALUES (1, 'http://1', 90000, 1000, 2000)`,
		`INSERT INTO jobs (id, tombstone, version, group_id, enabled, next_at, created_at, updated_at, schedule, misfire, route,
			overlap, on_crash, timeout_ms, retry, children, namespace, job_key, title, handler, param)
			VALUES (5, 0, 3, 1, 1, 90000, 1000, 2000, '{"kind":"every","every":60000000000}', 'skip', 'round',
			'serial', 'report', 0, '{}', '[]', 'default', 'old', '', '{"kind":"named","name":"demo"}', 'p')`,
		`INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, ready_at, due_at, created_at)
			VALUES (7, 5, 3, 1, 1000, 'schedule', 0, 'waiting_retry', 3000, 3000, 1000)`,
	)
}

// makeSchema makes an empty database as the migrations up to a version leave it.
func makeSchema(t *testing.T, path string, version int64) {
	t.Helper()
	first, err := fs.Sub(migrations, "migrations")
	if err != nil {
		t.Fatal(err)
	}
	alter(t, path, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, first,
		goose.WithDisableGlobalRegistry(true), goose.WithTableName("schema_versions"), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	closing(t, provider)
}
