package app

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// witness sees each row of a running server's database that is written.
type witness struct {
	t    *testing.T
	db   *sql.DB
	last int64 // what was seen before
}

// noticed are the tables but those that loops of the server write whenever they like,
// and that of the tries to sign in, in which each one that fails is counted.
func noticed(table string) bool {
	return !slices.Contains([]string{"leases", "alarm_cursor", "sign_in_tries", "witness"}, table)
}

// newWitness has the database itself write down what is written to it.
func newWitness(t *testing.T, s *Server) *witness {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(s.config.Data, "orth.db"))+"?_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	w := &witness{t: t, db: db}
	w.tell(`CREATE TABLE witness (id INTEGER PRIMARY KEY, said TEXT NOT NULL)`)
	for _, table := range column(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table'`) {
		if !noticed(table) || strings.HasPrefix(table, "sqlite_") {
			continue
		}
		var lasting []string
		for _, name := range column(t, db, `SELECT name FROM pragma_table_info('`+table+`')`) {
			if !slices.Contains(passing(), name) {
				lasting = append(lasting, `"`+name+`"`)
			}
		}
		for _, what := range []string{"INSERT", "DELETE", "UPDATE OF " + strings.Join(lasting, ", ")} {
			verb, _, _ := strings.Cut(what, " ")
			w.tell(`CREATE TRIGGER witness_` + table + `_` + verb + ` AFTER ` + what + ` ON ` + table +
				` BEGIN INSERT INTO witness (said) VALUES ('` + strings.ToLower(verb) + ` ` + table + `'); END`)
		}
	}
	return w
}

func (w *witness) tell(statement string) {
	w.t.Helper()
	if _, err := w.db.ExecContext(w.t.Context(), statement); err != nil {
		w.t.Fatal(err)
	}
}

// seen returns what was written since it was asked before, each thing once.
func (w *witness) seen() []string {
	w.t.Helper()
	said := column(w.t, w.db, fmt.Sprintf(`SELECT DISTINCT said FROM witness WHERE id > %d`, w.last))
	if err := w.db.QueryRowContext(w.t.Context(), `SELECT coalesce(max(id), 0) FROM witness`).Scan(&w.last); err != nil {
		w.t.Fatal(err)
	}
	slices.Sort(said)
	return said
}

// The witness sees what changes, and not what only passes.
func TestWitness(t *testing.T) {
	t.Parallel()
	s := begin(t)
	w := newWitness(t, s)
	for _, c := range []struct{ method, path, body, want string }{
		{"PUT", "/pauses/night", `{}`, "insert audit, insert pauses"},
		{"PUT", "/pauses/night", `{"reason":"x"}`, "insert audit, update pauses"},
		{"PUT", "/pauses/night?dry_run=true", `{}`, ""},
		{"GET", "/pauses/night", "", ""},
		{"DELETE", "/pauses/night", "", "delete pauses, insert audit"},
		{"POST", "/groups", `{"key":"lonely"}`, "insert audit, insert executor_groups"},
		{"PATCH", "/groups/lonely", `{"title":"x","own_token_only":true}`, ""}, // It has no token: refused as a whole.
	} {
		w.seen()
		answer := askAPI(t, s, c.method, c.path, c.body)
		if got := strings.Join(w.seen(), ", "); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s %s: %d %s: seen was %q, not %q", c.method, c.path, answer.StatusCode, answer.body, got, c.want)
		}
	}
}
