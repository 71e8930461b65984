package schema_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pressly/goose/v3"
	"go.uber.org/goleak"
	_ "modernc.org/sqlite" // a database

	"github.com/orthd/orth/internal/store/schema"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func step(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte("-- +goose Up\n" + text)} }

// of returns the schema of a new file.
func of(t *testing.T, steps fstest.MapFS) *schema.Schema {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(t.TempDir(), "db")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	return &schema.Schema{
		DB: db, Dialect: goose.DialectSQLite3, Steps: steps, Name: "the file",
		Has:    "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = ?",
		Live:   "SELECT name FROM servers",
		Insert: "INSERT OR IGNORE INTO schema_steps (number, name, checksum) VALUES (?, ?, ?)",
	}
}

func folder() fstest.MapFS {
	return fstest.MapFS{
		"0001_first.sql":   step("CREATE TABLE schema_steps (number INTEGER PRIMARY KEY, name TEXT, checksum TEXT);"),
		"0002_servers.sql": step("CREATE TABLE servers (name TEXT);"),
	}
}

// states says in a letter for each step whether it is made, altered, unknown or missing.
func states(t *testing.T, s *schema.Schema) (text string) {
	t.Helper()
	all, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		switch {
		case one.Unknown:
			text += "u"
		case one.Altered:
			text += "a"
		case one.Made:
			text += "m"
		default:
			text += "-"
		}
	}
	return text
}

func TestSteps(t *testing.T) {
	t.Parallel()
	steps := folder()
	s := of(t, steps)
	want := func(when, want string) {
		t.Helper()
		if got := states(t, s); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	want("at first", "--")
	made, err := s.Up(t.Context())
	if err != nil || len(made) != 2 || made[1].Name != "servers" {
		t.Fatalf("made %+v, %v", made, err)
	}
	want("once made", "mm")
	if made, err = s.Up(t.Context()); err != nil || len(made) != 0 {
		t.Errorf("again: %+v, %v", made, err)
	}
	// One that fails leaves those before it, and goes on when it is mended.
	steps["0003_good.sql"], steps["0004_bad.sql"] = step("CREATE TABLE a (b);"), step("CREATE TABLE c (d); CREATE TABLE a (b);")
	if made, err = s.Up(t.Context()); err == nil || len(made) != 1 {
		t.Errorf("made %+v, %v", made, err)
	}
	want("after a failure", "mmm-")
	steps["0004_bad.sql"] = step("CREATE TABLE c (d);")
	if made, err = s.Up(t.Context()); err != nil || len(made) != 1 {
		t.Errorf("mended: %+v, %v", made, err)
	}
	steps["0002_servers.sql"] = step("CREATE TABLE servers (name TEXT, more TEXT);")
	want("one was altered", "mamm")
	if _, err = s.Up(t.Context()); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "step 2") {
		t.Errorf("altered: %v", err)
	}
	steps["0002_servers.sql"] = folder()["0002_servers.sql"]
	delete(steps, "0004_bad.sql")
	want("one is newer", "mmmu")
	if _, err = s.Up(t.Context()); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "version 4") {
		t.Errorf("newer: %v", err)
	}
}

// A database whose tables or notes somebody has changed is left as it is, and told.
func TestSpoilt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, after, want string }{
		{"a gap", "", "DELETE FROM schema_versions WHERE version_id = 2", "step 2 of the schema of the file (servers) is not noted as made, and step 3 is"},
		{"no notes", "", "DROP TABLE schema_versions", "has a table schema_steps, and no step of its schema is noted as made"},
		{"no checksums", "", "DROP TABLE schema_steps", "lacks the table schema_steps, which step 1"},
		{"another program's", "CREATE TABLE schema_steps (number INTEGER, name TEXT, checksum TEXT)", "", "it is of another program, or its table schema_versions is gone"},
		{"a table of its own", "CREATE TABLE other (a TEXT)", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			steps := folder()
			steps["0003_parts.sql"] = step("CREATE TABLE parts (id INTEGER);")
			s := of(t, steps)
			change := func(statement string) {
				if _, err := s.DB.ExecContext(t.Context(), statement); statement != "" && err != nil {
					t.Fatal(err)
				}
			}
			change(c.before)
			made, err := s.Up(t.Context())
			if c.after != "" {
				if err != nil {
					t.Fatal(err)
				}
				change(c.after)
				made, err = s.Up(t.Context())
			}
			state, looked := s.Look(t.Context())
			if c.want == "" {
				if err != nil || looked != nil || state.Refused != nil || state.Version() != 3 {
					t.Errorf("made %v, %v; looked %+v, %v", made, err, state, looked)
				}
				return
			}
			if looked != nil || state.Refused == nil || state.Refused.Error() != err.Error() {
				t.Errorf("what looks says %v, %v, and what makes %v", state.Refused, looked, err)
			}
			said, ok := errors.AsType[*job.Error](err)
			if !ok || said.Kind != job.Invalid || !strings.Contains(said.Message, c.want) || said.Hint == "" || len(made) != 0 {
				t.Errorf("made %v, %v; want %q", made, err, c.want)
			}
		})
	}
}

// A database that other steps have made than those of today is a development build's, and is left
// as it is.
func TestDevelopmentBuild(t *testing.T) {
	t.Parallel()
	baseline := func() fstest.MapFS {
		return fstest.MapFS{"0001_baseline.sql": step("CREATE TABLE schema_steps (number INTEGER PRIMARY KEY, name TEXT, checksum TEXT);\nCREATE TABLE jobs (id INTEGER);")}
	}
	later := baseline()
	later["0002_more.sql"], later["0003_most.sql"] = step("CREATE TABLE more (id INTEGER);"), step("CREATE TABLE most (id INTEGER);")
	without := func(number string) fstest.MapFS {
		steps := folder()
		delete(steps, number)
		return steps
	}
	for _, c := range []struct {
		name         string
		old, today   fstest.MapFS
		change, want string
	}{
		{"another first step", folder(), baseline(), "", "the database the file has schema version 2 of a development build of Orth"},
		{"another first step, of two that are known", folder(), later, "", "schema version 2 of a development build"},
		{"no first step", without("0002_servers.sql"), baseline(), "UPDATE schema_versions SET version_id = 35 WHERE version_id = 1", "schema version 35 of a development build"},
		{"from before checksums", folder(), baseline(), "DROP TABLE schema_steps", "schema version 2 of a development build"},
		{"a newer Orth", later, baseline(), "", "has schema version 3, and this Orth knows versions up to 1"},
		{"a newer Orth that was killed before it recorded checksums", later, baseline(), "DELETE FROM schema_steps", "has schema version 3, and this Orth knows versions up to 1"},
		{"the same Orth that was killed before it recorded checksums", baseline(), later, "DELETE FROM schema_steps", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := of(t, c.old)
			if _, err := s.Up(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.DB.ExecContext(t.Context(), c.change); c.change != "" && err != nil {
				t.Fatal(err)
			}
			s.Steps = c.today
			rows := func() (text string) {
				t.Helper()
				row := s.DB.QueryRowContext(t.Context(), "SELECT group_concat(name || sql, ' ') || (SELECT group_concat(version_id) FROM schema_versions) FROM sqlite_schema")
				if err := row.Scan(&text); err != nil {
					t.Fatal(err)
				}
				return text
			}
			before := rows()
			made, err := s.Up(t.Context())
			if c.want == "" {
				if err != nil || len(made) != 2 {
					t.Errorf("made %v, %v", made, err)
				}
				return
			}
			state, looked := s.Look(t.Context())
			said, ok := errors.AsType[*job.Error](err)
			if !ok || said.Kind != job.Invalid || !strings.Contains(said.Message, c.want) || said.Hint == "" || len(made) != 0 {
				t.Fatalf("made %v, %v; want %q", made, err, c.want)
			}
			if strings.Contains(c.want, "development") && !strings.Contains(said.Hint, "orth export") {
				t.Errorf("the hint is %q", said.Hint)
			}
			if looked != nil || state.Refused == nil || state.Refused.Error() != err.Error() {
				t.Errorf("what looks says %v, %v, and what makes %v", state.Refused, looked, err)
			}
			if after := rows(); after != before {
				t.Errorf("the schema was changed:\n%s\n%s", before, after)
			}
		})
	}
}

// What breaks those that run is not made while they do.
func TestBreaks(t *testing.T) {
	t.Parallel()
	steps := folder()
	s := of(t, steps)
	if _, err := s.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	steps["0003_adds.sql"] = step("ALTER TABLE servers ADD COLUMN a TEXT;")
	if _, err := s.DB.ExecContext(t.Context(), "INSERT INTO servers VALUES ('one:1')"); err != nil {
		t.Fatal(err)
	}
	if made, err := s.Up(t.Context()); err != nil || len(made) != 1 {
		t.Errorf("a step that adds: %+v, %v", made, err)
	}
	steps["0004_breaks.sql"] = step("-- breaks: the column moves\nALTER TABLE servers RENAME COLUMN a TO b;")
	_, err := s.Up(t.Context())
	if !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "the column moves") {
		t.Errorf("a step that breaks: %v", err)
	}
	if _, err := s.DB.ExecContext(t.Context(), "DELETE FROM servers"); err != nil {
		t.Fatal(err)
	}
	if made, err := s.Up(t.Context()); err != nil || len(made) != 1 || made[0].Breaks != "the column moves" {
		t.Errorf("once nobody runs: %+v, %v", made, err)
	}
}

// Steps of a database that several servers share only add, or say that they break what runs.
func TestStepsOnlyAdd(t *testing.T) {
	t.Parallel()
	more := regexp.MustCompile(`(?i)\b(DROP (TABLE|COLUMN)|RENAME|ALTER COLUMN|TRUNCATE)\b|ADD COLUMN [^;]*NOT NULL(?:[^;D]|D[^E])*;`)
	for text, want := range map[string]bool{
		"ALTER TABLE a ADD COLUMN b bigint NOT NULL DEFAULT 0;": false, "ALTER TABLE a ADD COLUMN b bigint;": false, "CREATE INDEX a ON b (c);": false,
		"ALTER TABLE a ADD COLUMN b bigint NOT NULL;": true, "DROP TABLE a;": true, "ALTER TABLE a RENAME TO b;": true,
	} {
		if more.MatchString(text) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
	files, err := filepath.Glob(filepath.Join("..", "*", "migrations", "*.sql"))
	if err != nil || len(files) < 3 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		if more.MatchString(text) && !strings.Contains(text, "\n-- breaks: ") &&
			!strings.Contains(filepath.ToSlash(file), "/sqlite/") {
			t.Errorf("%s does more than to add, and does not say that it breaks servers that run", file)
		}
	}
}
