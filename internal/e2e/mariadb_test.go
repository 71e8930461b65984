//go:build unix

package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// newMariaDB makes a database on a real MariaDB that is dropped after the test, and
// returns it with its address as the driver and as Orth write it. Without a server the
// test is skipped, or has failed where tools are required.
func newMariaDB(t *testing.T, name string) (db *sql.DB, dsn, address string) {
	t.Helper()
	server := os.Getenv("ORTH_TEST_MARIADB")
	switch {
	case server != "":
	case os.Getenv("ORTH_REQUIRE_TOOLS") != "":
		t.Fatal("ORTH_TEST_MARIADB names no server: run 'make databases'")
	default:
		t.Skip("needs a MariaDB server: run 'make databases', which starts one")
	}
	config, err := mysql.ParseDSN(server)
	if err != nil {
		t.Fatal(err)
	}
	root, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	name = fmt.Sprintf("orth_e2e_%d_%d_%s", os.Getpid(), time.Now().UnixNano(), name)
	if _, err := root.ExecContext(t.Context(), "CREATE DATABASE "+name+" CHARACTER SET utf8mb4"); err != nil {
		t.Fatal(err)
	}
	config.DBName = name
	if db, err = sql.Open("mysql", config.FormatDSN()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = db.Close()
		if _, err := root.ExecContext(context.WithoutCancel(t.Context()), "DROP DATABASE "+name); err != nil {
			t.Error(err)
		}
		_ = root.Close()
	})
	u := url.URL{Scheme: "mysql", User: url.UserPassword(config.User, config.Passwd), Host: config.Addr, Path: "/" + name}
	if config.Net == "unix" {
		u.Host, u.RawQuery = "", url.Values{"socket": {config.Addr}}.Encode()
	}
	return db, config.FormatDSN(), u.String()
}
