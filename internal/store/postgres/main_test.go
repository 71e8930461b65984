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
func server(t testing.TB) string {
	t.Helper()
	address := os.Getenv("ORTH_TEST_POSTGRES")
	switch {
	case address != "":
		return address
	case os.Getenv("ORTH_REQUIRE_TOOLS") != "":
		t.Fatal("ORTH_TEST_POSTGRES is not set: scripts/services postgres starts one and prints it")
	default:
		t.Skip("the store on PostgreSQL is not tested: scripts/services postgres starts one and prints ORTH_TEST_POSTGRES")
	}
	return ""
}

// made counts the databases of this process.
var made atomic.Int64

// administer returns a pool on the database that the others are made from.
func administer(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", server(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// database makes a database for one test, and returns its address. It is dropped
// afterwards. template may be empty.
func database(t testing.TB, template string) string {
	t.Helper()
	db := administer(t)
	name := fmt.Sprintf("orth_test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), made.Add(1))
	create := "CREATE DATABASE " + name
	if template != "" {
		create += " TEMPLATE " + template
	}
	if _, err := db.ExecContext(t.Context(), create); err != nil {
		t.Fatalf("make a database: %v", err)
	}
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the database: %v", err)
		}
	})
	return addressOf(t, name)
}

// addressOf returns the address of a database beside that of the server.
func addressOf(t testing.TB, name string) string {
	t.Helper()
	u, err := url.Parse(server(t))
	if err != nil {
		t.Fatalf("ORTH_TEST_POSTGRES: %v", err)
	}
	u.Path = "/" + name
	return u.String()
}

// nameIn returns the database that an address names.
func nameIn(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}

// query opens a database beside the store.
func query(t testing.TB, address string) *sql.DB {
	t.Helper()
	config, err := parse(address)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// template makes an empty database with the newest schema, to copy from.
func template(t testing.TB) string {
	t.Helper()
	address := database(t, "")
	s, err := Open(t.Context(), address, Config{Readers: 1})
	if err != nil {
		t.Fatalf("make the schema: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return nameIn(t, address)
}
