package cli_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the embedded database

	"github.com/orthd/orth/internal/store/sqlite"
)

// altered runs a statement on the database of a folder.
func altered(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(dir, "orth.db")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// The schema is shown, planned and made, on the embedded database.
func TestMigrate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	expect := func(code int, words string, args ...string) (stdout string) {
		t.Helper()
		stdout, stderr, got := called(t, append([]string{"migrate"}, append(args, "--data", dir)...)...)
		if got != code || !strings.Contains(stdout+stderr, words) {
			t.Fatalf("%v: exit code %d, want %d and %q:\n%s%s", args, got, code, words, stdout, stderr)
		}
		return stdout
	}
	expect(3, "there is no database", "status")
	expect(0, "made ", "up")
	expect(0, "nothing to make", "up")
	expect(0, "is up to date", "status")
	expect(0, "nothing to make", "plan")

	var steps []struct {
		Number                int64
		Name, State, Checksum string
		MadeAt                string `json:"made_at"`
	}
	read := func(args ...string) {
		t.Helper()
		steps = nil
		if err := json.Unmarshal([]byte(expect(0, "", append(args, "-o", "json")...)), &steps); err != nil {
			t.Fatal(err)
		}
	}
	read("status")
	if len(steps) < 36 || steps[0].Name != "first" || steps[0].State != "made" || len(steps[0].Checksum) != 64 || steps[0].MadeAt == "" {
		t.Errorf("steps %+v", steps)
	}
	last := steps[len(steps)-1]

	// Steps that are missing are planned and made.
	altered(t, dir, "DELETE FROM schema_versions WHERE version_id >= 38")
	altered(t, dir, "DROP TABLE database_origin")
	altered(t, dir, "ALTER TABLE jobs DROP COLUMN inputs")
	altered(t, dir, "DROP INDEX workflow_nodes_run")
	altered(t, dir, "DROP INDEX runs_firing")
	altered(t, dir, "CREATE INDEX runs_firing ON runs (job_id)")
	altered(t, dir, "ALTER TABLE runs DROP COLUMN firing")
	for _, column := range []string{"instance", "instance_at", "others", "crowded_until", "rival_at"} {
		altered(t, dir, "ALTER TABLE executors DROP COLUMN "+column)
	}
	altered(t, dir, "ALTER TABLE executors DROP COLUMN handlers")
	altered(t, dir, "ALTER TABLE run_logs DROP COLUMN whole_text")
	altered(t, dir, "ALTER TABLE jobs DROP COLUMN description")
	altered(t, dir, "DROP TABLE executor_facts")
	altered(t, dir, "DROP TABLE changes")
	altered(t, dir, "DROP TABLE servers")
	altered(t, dir, "DROP TABLE leads")
	altered(t, dir, "DROP TABLE schema_steps")
	expect(0, strconv.Itoa(len(steps)-37)+" steps are missing", "status")
	if out := expect(0, "CREATE TABLE servers", "plan"); !strings.HasPrefix(out, "-- 00") || !strings.Contains(out, last.Checksum) {
		t.Errorf("planned:\n%s", out)
	}
	expect(0, "servers", "up")
	read("status")
	if got := steps[len(steps)-1]; got.State != "made" {
		t.Errorf("the last step is %+v", got)
	}

	altered(t, dir, "UPDATE schema_steps SET checksum = 'x' WHERE number = 3")
	for _, command := range []string{"status", "plan", "up"} {
		expect(1, "with another content", command)
	}
	altered(t, dir, "DELETE FROM schema_steps WHERE number = 3")
	altered(t, dir, "INSERT INTO schema_versions (version_id, is_applied) VALUES (4711, 1)")
	for _, command := range []string{"status", "plan", "up"} {
		expect(1, "schema version 4711", command)
	}
}

// Of a database that somebody has changed all commands say the same, and what to do; none
// says that steps are missing which would be made.
func TestMigrateSpoilt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ change, want string }{
		"a gap":        {"DELETE FROM schema_versions WHERE version_id = 7", "is not noted as made"},
		"no steps":     {"DROP TABLE schema_versions", "no step of its schema is noted as made"},
		"no checksums": {"DROP TABLE schema_steps", "lacks the table schema_steps"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if _, stderr, code := called(t, "migrate", "up", "--data", dir); code != 0 {
				t.Fatal(stderr)
			}
			altered(t, dir, c.change)
			for _, command := range []string{"migrate status", "migrate plan", "migrate status -o json", "migrate up", "doctor"} {
				stdout, stderr, code := called(t, append(strings.Fields(command), "--data", dir)...)
				if all := stdout + stderr; code != 1 || !strings.Contains(all, c.want) || !strings.Contains(all, "put a backup in its place") || strings.Contains(all, "makes them") {
					t.Errorf("%s: exit code %d:\n%s", command, code, all)
				}
			}
		})
	}
}

// Nobody changes the schema under a server that runs on it alone.
func TestMigrateWhileServerRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := sqlite.Open(filepath.Join(dir, "orth.db"), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, stderr, code := called(t, "migrate", "up", "--data", dir); code != 5 {
		t.Errorf("up: exit code %d, %s", code, stderr)
	}
	if _, stderr, code := called(t, "migrate", "status", "--data", dir); code != 0 {
		t.Errorf("status: exit code %d, %s", code, stderr)
	}
}

// An address that is none is refused, and not repeated.
func TestMigrateAddress(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"status", "plan", "up"} {
		_, stderr, code := called(t, "migrate", action, "--db", "oracle://me:hunter2@host/db")
		if code != 1 || strings.Contains(stderr, "hunter2") || !strings.Contains(stderr, "postgres://") {
			t.Errorf("%s: exit code %d, %s", action, code, stderr)
		}
	}
	if address := os.Getenv("ORTH_TEST_POSTGRES"); address != "" {
		if _, stderr, code := called(t, "migrate", "status", "--db", address); code != 0 || !strings.Contains(stderr, "steps are missing") {
			t.Errorf("an empty database: exit code %d, %s", code, stderr)
		}
	}
}
