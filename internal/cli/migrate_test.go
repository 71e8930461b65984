package cli_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
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
	expect(0, "applied ", "up")
	expect(0, "already up to date", "up")
	expect(0, "is up to date", "status")
	expect(0, "is up to date", "plan")

	var steps []struct {
		Number                int64
		Name, State, Checksum string
		AppliedAt             string `json:"applied_at"`
	}
	read := func(args ...string) {
		t.Helper()
		steps = nil
		if err := json.Unmarshal([]byte(expect(0, "", append(args, "-o", "json")...)), &steps); err != nil {
			t.Fatal(err)
		}
	}
	read("status")
	if len(steps) < 1 || steps[0].Name != "baseline" || steps[0].State != "applied" || len(steps[0].Checksum) != 64 || steps[0].AppliedAt == "" {
		t.Errorf("steps %+v", steps)
	}

	altered(t, dir, "UPDATE schema_steps SET checksum = 'x' WHERE number = 1")
	for _, command := range []string{"status", "plan", "up"} {
		expect(1, "with another content", command)
	}
	altered(t, dir, "DELETE FROM schema_steps WHERE number = 1")
	altered(t, dir, "INSERT INTO schema_versions (version_id, is_applied) VALUES (4711, 1)")
	for _, command := range []string{"status", "plan", "up"} {
		expect(1, "schema version 4711, and this Orth knows", command)
	}
}

// A database without steps has all of them planned and made: an empty file is one.
func TestMigrateEmpty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "orth.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ command, want string }{
		{"status", "1 migration is pending in"},
		{"plan", "CREATE TABLE servers"},
		{"up", "applied 1 migration to"},
		{"status", "is up to date"},
	} {
		stdout, stderr, code := called(t, "migrate", c.command, "--data", dir)
		if code != 0 || !strings.Contains(stdout+stderr, c.want) || c.command == "plan" && !strings.HasPrefix(stdout, "-- 0001_baseline, sha256 ") {
			t.Errorf("%s: exit code %d, want %q:\n%s%s", c.command, code, c.want, stdout, stderr)
		}
	}
}

// A database of a development build is refused by all commands, with what to do.
func TestMigrateDevelopmentBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, stderr, code := called(t, "migrate", "up", "--data", dir); code != 0 {
		t.Fatal(stderr)
	}
	altered(t, dir, "UPDATE schema_steps SET name = 'first' WHERE number = 1")
	altered(t, dir, "INSERT INTO schema_versions (version_id, is_applied) VALUES (50, 1)")
	for _, command := range []string{"migrate status", "migrate plan", "migrate status -o json", "migrate up", "doctor"} {
		stdout, stderr, code := called(t, append(strings.Fields(command), "--data", dir)...)
		if all := stdout + stderr; code != 1 || !strings.Contains(all, "schema version 50 of a development build") || !strings.Contains(all, "'orth export DIR'") {
			t.Errorf("%s: exit code %d:\n%s", command, code, all)
		}
	}
}

// Of a database that somebody has changed all commands say the same, and what to do; none
// says that steps are missing which would be made.
func TestMigrateRejectsDamagedDatabase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ change, want string }{
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
				if all := stdout + stderr; code != 1 || !strings.Contains(all, c.want) || !strings.Contains(all, "put a backup in its place") || strings.Contains(all, "with 'orth migrate up'") {
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
		if _, stderr, code := called(t, "migrate", "status", "--db", address); code != 0 || !strings.Contains(stderr, "migration is pending") {
			t.Errorf("an empty database: exit code %d, %s", code, stderr)
		}
	}
}
