package postgres

import (
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/store/storetest"
	"github.com/orthd/orth/job"
)

func TestAtOnce(t *testing.T) {
	t.Parallel()
	const two = `unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS given(c1, c2, n)`
	for _, c := range []struct {
		query, kinds string
		key          int
		want         string // empty: refused
	}{
		{
			"INSERT INTO a (b, c, d) VALUES (?, 'x?', ?)", "it", 0,
			`INSERT INTO a (b, c, d) SELECT given.c1, 'x?', given.c2 COLLATE "C" FROM ` + two + ` RETURNING b`,
		},
		{
			"INSERT INTO a (b, c) VALUES (?, ?) ON CONFLICT (b) DO NOTHING", "it", 0,
			`INSERT INTO a (b, c) SELECT given.c1, given.c2 COLLATE "C" FROM ` + two + ` ON CONFLICT (b) DO NOTHING RETURNING b`,
		},
		{
			"INSERT INTO a (b, c)\n\t\tSELECT d, (SELECT e FROM f) FROM g WHERE d = ? AND h = ?", "it", 0,
			`INSERT INTO a (b, c) SELECT d, (SELECT e FROM f) FROM ` + two +
				`, g WHERE d = given.c1 AND h = given.c2 COLLATE "C" AND given.n % 1 = 0 RETURNING b`,
		},
		{
			"UPDATE a SET b = (SELECT c FROM d WHERE e = 1) WHERE f = ? AND g = ?", "it", 0,
			`UPDATE a SET b = (SELECT c FROM d WHERE e = 1) FROM (SELECT @, (SELECT own.ctid FROM a own WHERE own.f = given.c1) AS place FROM ` + two +
				` WHERE given.n % 1 = 0 OFFSET 0) given WHERE f = given.c1 AND g = given.c2 COLLATE "C" AND a.ctid = given.place RETURNING given.c1`,
		},
		{
			"UPDATE a SET b = ? WHERE c = ? AND d = ?", "tii", 2,
			`UPDATE a SET b = given.c1 COLLATE "C" FROM (SELECT @, (SELECT own.ctid FROM a own WHERE own.c = given.c2 AND own.d = given.c3) AS place FROM ` +
				`unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS given(c1, c2, c3, n)` +
				` WHERE given.n % 1 = 0 OFFSET 0) given WHERE c = given.c2 AND d = given.c3 AND a.ctid = given.place RETURNING given.c3`,
		},
		{
			"DELETE FROM a WHERE b = ? AND NOT EXISTS (SELECT 1 FROM c WHERE c.d = a.e AND c.f = ?)", "it", 0,
			"DELETE FROM a USING (SELECT @, own.place, own.part FROM " + two + " CROSS JOIN LATERAL (SELECT a.ctid AS place, a.tableoid AS part FROM a" +
				` WHERE b = given.c1 AND NOT EXISTS (SELECT 1 FROM c WHERE c.d = a.e AND c.f = given.c2 COLLATE "C") OFFSET 0) own` +
				" WHERE given.n % 1 = 0 OFFSET 0) given WHERE a.tableoid = given.part AND a.ctid = given.place RETURNING given.c1",
		},
		{
			"UPDATE a SET b = ? WHERE c IN (SELECT d FROM e WHERE f = ?)", "ti", 1,
			`UPDATE a SET b = given.c1 COLLATE "C" FROM (SELECT @, own.place, own.part FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS given(c1, c2, n)` +
				" CROSS JOIN LATERAL (SELECT d AS name FROM e WHERE f = given.c2 OFFSET 0) list" +
				" CROSS JOIN LATERAL (SELECT a.ctid AS place, a.tableoid AS part FROM a WHERE c = list.name OFFSET 0) own" +
				" WHERE given.n % 1 = 0 OFFSET 0) given WHERE a.tableoid = given.part AND a.ctid = given.place RETURNING given.c2",
		},
		{"UPDATE a SET b = ? WHERE c > ?", "ii", 1, ""},
		{"UPDATE a SET b = ?", "i", 0, ""},
		{"DELETE FROM a", "i", 0, ""},
		{"UPDATE a SET b = 1 WHERE c = ?", "ii", 0, ""},
		{"UPDATE a SET b = 1 WHERE c = ?", "t", 0, ""},
		{"UPDATE a SET b = 1 WHERE c = ?", "x", 0, ""},
		{"UPDATE a SET b = 1 WHERE c = ?", "i", 1, ""},
	} {
		got, err := atOnce(c.query, c.kinds, c.key)
		c.want = strings.ReplaceAll(c.want, "@", allGiven)
		if got != c.want || (c.want == "") != job.Is(err, job.Internal) {
			t.Errorf("%s\n became %s, %v\n want   %s", c.query, got, err, c.want)
		}
	}
}

// TestPlansAtOnce asks PostgreSQL how it carries out what is done for many rows at once:
// each row is found by an index or by its place, and never is all of a table read,
// whether it looked empty when the plan was made or as if nothing in it was under way.
func TestPlansAtOnce(t *testing.T) {
	t.Parallel()
	address := database(t, template(t))
	heard := &listening{texts: map[string]string{}}
	s, err := Open(t.Context(), address, Config{Readers: 1, expectAfter: 1, through: func(next sqlstore.Connector) sqlstore.Connector {
		return &listener{Connector: next, heard: heard}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	lifecycletest.Start(t, s.Run)
	db := query(t, address)
	db.SetMaxOpenConns(1)
	for name, value := range writerSettings() {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf("SET %s = '%s'", name, value)); err != nil {
			t.Fatal(err)
		}
	}
	p := storetest.NewPath(t, s, func() time.Duration { return 0 }, storetest.PathBatch)
	for past := range 3 { // the tables are empty, and then all that they have is over
		if _, err := db.ExecContext(t.Context(), "VACUUM ANALYZE"); err != nil {
			t.Fatal(err)
		}
		p.Plan(t)
		p.Mark(t)
		p.Accept(t)
		p.Complete(t)
		p.Remove(t)
		texts := heard.all()
		if len(texts) < 14 {
			t.Fatalf("only %d statements are carried out for many rows at once", len(texts))
		}
		for text, arrays := range texts {
			plan := planOf(t, db, text, arrays)
			if wrong := wrongPlan(plan); wrong != "" {
				t.Errorf("with %d runs of the past, %s:\n%s\n%s", past*storetest.PathBatch, wrong, text, plan)
			}
		}
	}
}

// planOf returns how PostgreSQL carries out a statement with these arguments.
func planOf(t *testing.T, db *sql.DB, text, args string) string {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), "PREPARE asked AS "+text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var plan strings.Builder
	func() {
		rows, err := db.QueryContext(t.Context(), "EXPLAIN EXECUTE asked ("+args+")")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		defer rows.Close()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(line + "\n")
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}()
	if _, err := db.ExecContext(t.Context(), "DEALLOCATE asked"); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}

// empty are tables without a row in this test, of which any plan is good. Plans are made
// anew when that has changed.
var empty = regexp.MustCompile(` on (log_chunks|log_packs|evidence|backfills|broadcasts|workflow_nodes|workflow_runs|trials|dead_letters) `)

// wrongPlan says what is wrong with a plan, empty for nothing.
func wrongPlan(plan string) string {
	lines := strings.Split(plan, "\n")
	for i, line := range lines {
		switch {
		case empty.MatchString(line):
		case strings.Contains(line, "Seq Scan"), strings.Contains(line, "Hash Join"), strings.Contains(line, "Merge Join"):
			return "it reads all of a table"
		case strings.Contains(line, "Index") && strings.Contains(line, "Scan") && !strings.Contains(lines[i+1], "Index Cond"):
			return "it reads all of an index"
		case strings.Contains(line, "Tid Scan") && !strings.Contains(lines[i+1], "TID Cond"):
			return "it does not go by the places"
		}
	}
	return ""
}

// listening is what the listeners have heard: statements that take arrays, with as many
// empty ones.
type listening struct {
	mu    sync.Mutex
	texts map[string]string // guarded by mu
}

func (l *listening) all() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.texts)
}

// listener is a database whose statements are heard.
type listener struct {
	sqlstore.Connector
	heard *listening
}

// Connect implements [sqlstore.Connector].
func (l *listener) Connect() (sqlstore.Connection, error) {
	conn, err := l.Connector.Connect()
	if err != nil {
		return nil, err
	}
	return &listenerConn{connection: conn.(*connection), heard: l.heard}, nil
}

type listenerConn struct {
	*connection
	heard *listening
}

// Prepare implements [sqlstore.Connection].
func (c *listenerConn) Prepare(text string) (sqlstore.Statement, error) {
	if n := strings.Count(text, "[]"); strings.Contains(text, "unnest(") {
		c.heard.mu.Lock()
		c.heard.texts[text] = strings.TrimSuffix(strings.Repeat("'{}', ", n), ", ")
		c.heard.mu.Unlock()
	}
	return c.connection.Prepare(text)
}
