package postgres

import (
	"database/sql"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/store/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// database makes a database for one test, and returns its address. template may be empty.
func database(tb testing.TB, template string) string {
	tb.Helper()
	if template != "" {
		template = "TEMPLATE " + template
	}
	return dbtest.NewPostgres(tb, template)
}

// nameIn returns the database that an address names.
func nameIn(tb testing.TB, address string) string {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}

// query opens a database beside the store.
func query(tb testing.TB, address string) *sql.DB {
	tb.Helper()
	config, err := parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// template makes an empty database with the newest schema, to copy from, and returns its
// name.
func template(tb testing.TB) string {
	tb.Helper()
	return nameIn(tb, migrated(tb))
}

// migrated makes the newest schema in a new database, and returns its address.
func migrated(tb testing.TB) string {
	tb.Helper()
	address := database(tb, "")
	s, err := Open(tb.Context(), address, Config{Readers: 1})
	if err != nil {
		tb.Fatalf("make the schema: %v", err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	return address
}
