package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/store/dbtest"
)

// TestMain says which databases are not tested, for nobody reads of skipped tests.
func TestMain(m *testing.M) {
	for _, one := range servers() {
		if os.Getenv(one) == "" {
			fmt.Fprintf(os.Stderr, "the store on %s is not tested: %s is not set\n", strings.TrimPrefix(one, "ORTH_TEST_"), one)
		}
	}
	goleak.VerifyTestMain(m)
}

// servers are the variables that name real servers.
func servers() []string { return []string{dbtest.MariaDB, dbtest.MySQL} }

// server returns the address of one of them.
func server(tb testing.TB) string {
	tb.Helper()
	return dbtest.Server(tb, servers()...)
}

func configOf(tb testing.TB, address string) *mysql.Config {
	tb.Helper()
	config, err := mysql.ParseDSN(address)
	if err != nil {
		tb.Fatal(err)
	}
	return config
}

// database makes an empty database for one test, and returns its address.
func database(tb testing.TB) string {
	tb.Helper()
	return dbtest.NewMySQL(tb, "", servers()...).FormatDSN()
}

// query opens a database beside the store.
func query(tb testing.TB, address string) *sql.DB {
	tb.Helper()
	return dbtest.Open(tb, "mysql", address)
}

// migrated makes the newest schema in a new database, and returns its address.
func migrated(tb testing.TB) string {
	tb.Helper()
	address := database(tb)
	s, err := Open(tb.Context(), address, Config{Readers: 1})
	if err != nil {
		tb.Fatalf("make the schema: %v", err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	return address
}

// shelf lends databases that have the newest schema and no rows: to make the tables takes
// longer than most tests. Those that come back are emptied.
type shelf struct {
	mu   sync.Mutex
	free []string
}

// take lends a database until the test is over. owner is the test that outlives all of
// them.
func (s *shelf) take(tb, owner testing.TB) string {
	tb.Helper()
	s.mu.Lock()
	var address string
	if n := len(s.free); n > 0 {
		address, s.free = s.free[n-1], s.free[:n-1]
	}
	s.mu.Unlock()
	if address == "" {
		address = migrated(owner)
	}
	tb.Cleanup(func() {
		empty(tb, address)
		s.mu.Lock()
		s.free = append(s.free, address)
		s.mu.Unlock()
	})
	return address
}

// empty makes a database as new. Tables that have more rows than a page of an index may hold
// are made anew: where pages of deleted rows are merged while InnoDB reads an index backwards, it
// passes over rows of others, so the next test could miss some of its own.
func empty(tb testing.TB, address string) {
	tb.Helper()
	const few = 50
	ctx := context.WithoutCancel(tb.Context())
	config := configOf(tb, address)
	config.MultiStatements = true
	db := query(tb, config.FormatDSN())
	statements := []string{"SET foreign_key_checks = 0"}
	for _, name := range tablesOf(tb, db) {
		var rows int
		if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM (SELECT 1 FROM "+name+" LIMIT ?) t", few+1).Scan(&rows); err != nil {
			tb.Fatal(err)
		}
		switch {
		case rows > few:
			statements = append(statements, "TRUNCATE TABLE "+name)
		case rows > 0:
			statements = append(statements, "DELETE FROM "+name)
		}
	}
	statements = append(statements, "UPDATE sequences SET next = 1", "UPDATE log_total SET bytes = 0",
		"UPDATE alarm_cursor SET event_id = 0, last_id = 0, definitions = 0")
	dbtest.Must(tb, db, strings.Join(statements, "; "))
}

// tablesOf returns the tables that tests write into, but for those of a row or two that are
// always there.
func tablesOf(tb testing.TB, db *sql.DB) []string {
	tb.Helper()
	rows, err := db.QueryContext(context.WithoutCancel(tb.Context()), `SELECT table_name FROM information_schema.tables
		WHERE table_schema = DATABASE() AND table_name NOT IN ('schema_versions', 'writers_turn', 'log_total', 'alarm_cursor', 'sequences')`)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			tb.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return names
}
