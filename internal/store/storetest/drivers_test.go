package storetest_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib" // PostgreSQL, to look at the rows

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/postgres"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/store/storetest"
)

// TestMain says which databases are not compared, for nobody reads of skipped tests.
func TestMain(m *testing.M) {
	for _, name := range []string{"ORTH_TEST_POSTGRES", "ORTH_TEST_MARIADB", "ORTH_TEST_MYSQL"} {
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
	if len(rows["runs"]) < 100 || len(rows["attempts"]) < 100 || len(rows["dead_letters"]) < 10 || len(rows["audit"]) < 10 {
		t.Fatalf("the script does too little: %d runs, %d attempts, %d letters, %d lines of the audit",
			len(rows["runs"]), len(rows["attempts"]), len(rows["dead_letters"]), len(rows["audit"]))
	}
	for name, on := range map[string]func(*testing.T, string) (store.Store, *sql.DB, func(string) string){
		"ORTH_TEST_POSTGRES": onPostgres, "ORTH_TEST_MARIADB": onMySQL, "ORTH_TEST_MYSQL": onMySQL,
	} {
		address := os.Getenv(name)
		if address == "" {
			if os.Getenv("ORTH_REQUIRE_TOOLS") != "" && name != "ORTH_TEST_MYSQL" {
				t.Errorf("%s is not set: scripts/services starts one and prints it", name)
			}
			continue // TestMain has said so
		}
		t.Run(strings.TrimPrefix(name, "ORTH_TEST_"), func(t *testing.T) {
			t.Parallel()
			s, db, quote := on(t, address)
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
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT IN ('schema_versions', 'schema_steps')`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = columns.Close() }()
	for columns.Next() {
		var table, column string
		if err := columns.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		if table != "alarm_cursor" || column != "tag" { // which each database draws by lot
			tables[table] = append(tables[table], column)
		}
	}
	if err := columns.Err(); err != nil {
		t.Fatal(err)
	}
	return answers, storetest.Tables(t, db, tables, func(name string) string { return `"` + name + `"` }), tables
}

// newName returns that of a database for this test.
func newName() string { return fmt.Sprintf("orth_script_%d_%d", os.Getpid(), time.Now().UnixNano()) }

// administer makes a database on a server that is dropped after the test.
func administer(t *testing.T, kind, address, name, drop string) {
	t.Helper()
	db, err := sql.Open(kind, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), drop); err != nil {
			t.Error(err)
		}
	})
}

func onPostgres(t *testing.T, address string) (s store.Store, db *sql.DB, quote func(string) string) {
	t.Helper()
	name := newName()
	administer(t, "pgx", address, name, "DROP DATABASE "+name+" WITH (FORCE)")
	address = strings.Replace(address, "/postgres?", "/"+name+"?", 1)
	s, err := postgres.Open(t.Context(), address, postgres.Config{Hooks: hooks()})
	if err != nil {
		t.Fatal(err)
	}
	if db, err = sql.Open("pgx", address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return s, db, func(name string) string { return `"` + name + `"` }
}

func onMySQL(t *testing.T, address string) (s store.Store, db *sql.DB, quote func(string) string) {
	t.Helper()
	config, err := driver.ParseDSN(address)
	if err != nil {
		t.Fatal(err)
	}
	name := newName()
	administer(t, "mysql", config.FormatDSN(), name, "DROP DATABASE "+name)
	config.DBName = name
	s, err = mysql.Open(t.Context(), config.FormatDSN(), mysql.Config{Hooks: hooks()})
	if err != nil {
		t.Fatal(err)
	}
	if db, err = sql.Open("mysql", config.FormatDSN()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return s, db, func(name string) string { return "`" + name + "`" }
}
