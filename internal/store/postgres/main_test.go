package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is where tests make their databases: ORTH_TEST_POSTGRES, which
// scripts/services prints. Without it what needs a database is not tested; that is a
// failure where all tools have to be there.
func server(tb testing.TB) string {
	tb.Helper()
	address := os.Getenv("ORTH_TEST_POSTGRES")
	switch {
	case address != "":
		return address
	case os.Getenv("ORTH_REQUIRE_TOOLS") != "":
		tb.Fatal("ORTH_TEST_POSTGRES is not set: scripts/services postgres starts one and prints it")
	default:
		tb.Skip("the store on PostgreSQL is not tested: scripts/services postgres starts one and prints ORTH_TEST_POSTGRES")
	}
	return ""
}

// made counts the databases of this process.
var made atomic.Int64

// administer returns a pool on the database that the others are made from.
func administer(tb testing.TB) *sql.DB {
	tb.Helper()
	db, err := sql.Open("pgx", server(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// database makes a database for one test, and returns its address. It is dropped
// afterwards. template may be empty.
func database(tb testing.TB, template string) string {
	tb.Helper()
	db := administer(tb)
	name := fmt.Sprintf("orth_test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), made.Add(1))
	create := "CREATE DATABASE " + name
	if template != "" {
		create += " TEMPLATE " + template
	}
	if _, err := db.ExecContext(tb.Context(), create); err != nil {
		tb.Fatalf("make a database: %v", err)
	}
	tb.Cleanup(func() {
		if _, err := db.ExecContext(context.WithoutCancel(tb.Context()), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			tb.Errorf("drop the database: %v", err)
		}
	})
	return addressOf(tb, name)
}

// addressOf returns the address of a database beside that of the server.
func addressOf(tb testing.TB, name string) string {
	tb.Helper()
	u, err := url.Parse(server(tb))
	if err != nil {
		tb.Fatalf("ORTH_TEST_POSTGRES: %v", err)
	}
	u.Path = "/" + name
	return u.String()
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

// template makes an empty database with the newest schema, to copy from.
func template(tb testing.TB) string {
	tb.Helper()
	address := database(tb, "")
	s, err := Open(tb.Context(), address, Config{Readers: 1})
	if err != nil {
		tb.Fatalf("make the schema: %v", err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	return nameIn(tb, address)
}
