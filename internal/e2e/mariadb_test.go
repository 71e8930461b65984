//go:build unix

package e2e

import (
	"database/sql"
	"net/url"
	"testing"

	"github.com/orthd/orth/internal/store/dbtest"
)

// newMariaDB makes a database on a real MariaDB that is dropped after the test, and
// returns it with its address as the driver and as Orth write it.
func newMariaDB(t *testing.T) (db *sql.DB, dsn, address string) {
	t.Helper()
	config := dbtest.NewMySQL(t, "CHARACTER SET utf8mb4", dbtest.MariaDB)
	u := url.URL{Scheme: "mysql", User: url.UserPassword(config.User, config.Passwd), Host: config.Addr, Path: "/" + config.DBName}
	if config.Net == "unix" {
		u.Host, u.RawQuery = "", url.Values{"socket": {config.Addr}}.Encode()
	}
	dsn = config.FormatDSN()
	return dbtest.Open(t, "mysql", dsn), dsn, u.String()
}
