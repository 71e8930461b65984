// Package dbtest lends databases of real servers to tests.
//
// It knows where the servers are, how a test without one is skipped, and how a database is
// made and dropped. It must never know what is in a database. Addresses of servers come in
// from the environment; addresses of databases of a test's own go out.
package dbtest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
)

// The variables that name servers, as scripts/services prints them: a URL of PostgreSQL,
// and the others as the driver of MySQL writes addresses. MySQL is tested where a server is
// set: Debian has none.
const (
	Postgres = "ORTH_TEST_POSTGRES"
	MariaDB  = "ORTH_TEST_MARIADB"
	MySQL    = "ORTH_TEST_MYSQL"
)

// Server returns the value of the first of the variables that is set. Without one the test is
// skipped: make databases starts the servers, fails when it cannot, and sets the variables.
func Server(tb testing.TB, variables ...string) string {
	tb.Helper()
	for _, one := range variables {
		if address := os.Getenv(one); address != "" {
			return address
		}
	}
	tb.Skipf("needs a server that %s names: run 'make databases', which starts one", variables[0])
	return ""
}

// NewPostgres makes a database for one test, and returns its address. It is dropped
// afterwards, even with open connections. more is what follows its name in CREATE DATABASE,
// such as a template; it may be empty.
func NewPostgres(tb testing.TB, more string) (address string) {
	tb.Helper()
	server := Server(tb, Postgres)
	name := create(tb, Open(tb, "pgx", server), more, " WITH (FORCE)")
	return PostgresAt(tb, server, name)
}

// PostgresAt returns the address of another database of a server.
func PostgresAt(tb testing.TB, address, name string) string {
	tb.Helper()
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// NewMySQL makes a database for one test on the server of the first of the variables that
// is set, and returns what its address is made of. It is dropped afterwards. more is what
// follows its name in CREATE DATABASE, such as a character set; it may be empty.
func NewMySQL(tb testing.TB, more string, variables ...string) *mysql.Config {
	tb.Helper()
	config, err := mysql.ParseDSN(Server(tb, variables...))
	if err != nil {
		tb.Fatal(err)
	}
	config.DBName = ""
	config.DBName = create(tb, Open(tb, "mysql", config.FormatDSN()), more, "")
	return config
}

// Reader makes a user who may only read a database of NewMySQL, and returns the
// configuration of the user's address. It drops the user after the test.
func Reader(tb testing.TB, config *mysql.Config) *mysql.Config {
	tb.Helper()
	db, reader := Open(tb, "mysql", config.FormatDSN()), config.Clone()
	reader.User, reader.Passwd = config.DBName, "reads-only"
	for _, host := range []string{"'%'", "localhost"} { // by TCP, and by the socket
		name := reader.User + "@" + host
		Must(tb, db, "CREATE USER "+name+" IDENTIFIED BY '"+reader.Passwd+"'", "GRANT SELECT ON "+config.DBName+".* TO "+name) //nolint:unqueryvet // It is a right.
		tb.Cleanup(func() { Must(tb, db, "DROP USER "+name) })
	}
	return reader
}

// made counts the databases of this process.
var made atomic.Int64

// create makes a database with a name that no other test of the server has, short enough
// for that of a user.
func create(tb testing.TB, server *sql.DB, more, drop string) (name string) {
	tb.Helper()
	name = fmt.Sprintf("orth_%d_%s_%d", os.Getpid(), strconv.FormatInt(time.Now().UnixNano(), 36), made.Add(1))
	Must(tb, server, "CREATE DATABASE "+name+" "+more)
	tb.Cleanup(func() { Must(tb, server, "DROP DATABASE "+name+drop) })
	return name
}

// Open opens a database until the test ends. kind is the name of its driver: pgx or mysql.
func Open(tb testing.TB, kind, address string) *sql.DB {
	tb.Helper()
	db, err := sql.Open(kind, address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// Must runs statements, also while the test is cleaned up.
func Must(tb testing.TB, db *sql.DB, statements ...string) {
	tb.Helper()
	for _, one := range statements {
		if _, err := db.ExecContext(context.WithoutCancel(tb.Context()), one); err != nil {
			tb.Fatalf("%s: %v", one, err)
		}
	}
}
