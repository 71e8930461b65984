package storetest_test

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/postgres"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/store/storetest"
)

// TestMain says which databases are not compared, for nobody reads of skipped tests.
func TestMain(m *testing.M) {
	for _, name := range []string{dbtest.Postgres, dbtest.MariaDB, dbtest.MySQL} {
		if os.Getenv(name) == "" {
			fmt.Fprintf(os.Stderr, "a script of operations is not compared on %s: it is not set\n", strings.TrimPrefix(name, "ORTH_TEST_"))
		}
	}
	os.Exit(m.Run())
}

// operations is how long the script is, and seed what it follows from.
const (
	operations = 5000
	seed       = 20260301
)

// hooks want all events.
func hooks() sqlstore.Hooks {
	yes := func(*alarm.Event) bool { return true }
	return sqlstore.Hooks{Wanted: yes, Timed: yes}
}

// TestOneScript does the same operations on each database that is there: what they
// answer, and all rows afterwards, are the same.
func TestOneScript(t *testing.T) {
	t.Parallel()
	want, rows, tables := onSQLite(t)
	if len(rows["runs"]) < 100 || len(rows["attempts"]) < 50 || len(rows["dead_letters"]) < 10 || len(rows["audit"]) < 10 {
		t.Fatalf("the script does too little: %d runs, %d earlier attempts, %d letters, %d lines of the audit",
			len(rows["runs"]), len(rows["attempts"]), len(rows["dead_letters"]), len(rows["audit"]))
	}
	for name, on := range map[string]func(*testing.T, string) (store.Store, *sql.DB, func(string) string){
		dbtest.Postgres: onPostgres, dbtest.MariaDB: onMySQL, dbtest.MySQL: onMySQL,
	} {
		if name == dbtest.MySQL && os.Getenv(name) == "" {
			continue // nobody has to have one, and TestMain has said so
		}
		t.Run(strings.TrimPrefix(name, "ORTH_TEST_"), func(t *testing.T) {
			t.Parallel()
			s, db, quote := on(t, name)
			got := storetest.Walk(t, s, seed, operations)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("operation %d differs:\nSQLite %s\nhere   %s", i, want[i], got[i])
				}
			}
			found := storetest.Tables(t, db, tables, quote)
			for _, table := range slices.Sorted(maps.Keys(tables)) {
				if diff := cmp.Diff(rows[table], found[table]); diff != "" {
					t.Errorf("table %s differs (-SQLite +here):\n%s", table, diff)
				}
			}
		})
	}
}

// onSQLite does the script, and returns its answers, all rows, and the columns of tables.
func onSQLite(t *testing.T) (answers []string, rows, tables map[string][]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "orth.db")
	s, err := sqlite.Open(path, sqlite.Config{Hooks: hooks()})
	if err != nil {
		t.Fatal(err)
	}
	answers = storetest.Walk(t, s, seed, operations)
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	tables = map[string][]string{}
	columns, err := db.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT IN ('schema_versions', 'schema_steps', 'job_spans')`) // the others find runs of a job without spans
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = columns.Close() }()
	for columns.Next() {
		var table, column string
		if err := columns.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		switch table + "." + column {
		case "alarm_cursor.tag": // which each database draws by lot
		case "database_origin.name": // which each database has of its own
		case "stats_deltas.id": // SQLite begins at 1 again once all were folded
		case "sequences.next": // ids are reserved in blocks, which grow where they are used up soon
		default:
			tables[table] = append(tables[table], column)
		}
	}
	if err := columns.Err(); err != nil {
		t.Fatal(err)
	}
	return answers, storetest.Tables(t, db, tables, func(name string) string { return `"` + name + `"` }), tables
}

func onPostgres(t *testing.T, _ string) (s store.Store, db *sql.DB, quote func(string) string) {
	t.Helper()
	address := dbtest.NewPostgres(t, "")
	s, err := postgres.Open(t.Context(), address, postgres.Config{Hooks: hooks()})
	if err != nil {
		t.Fatal(err)
	}
	return s, dbtest.Open(t, "pgx", address), func(name string) string { return `"` + name + `"` }
}

func onMySQL(t *testing.T, variable string) (s store.Store, db *sql.DB, quote func(string) string) {
	t.Helper()
	address := dbtest.NewMySQL(t, "", variable).FormatDSN()
	s, err := mysql.Open(t.Context(), address, mysql.Config{Hooks: hooks()})
	if err != nil {
		t.Fatal(err)
	}
	return s, dbtest.Open(t, "mysql", address), func(name string) string { return "`" + name + "`" }
}
