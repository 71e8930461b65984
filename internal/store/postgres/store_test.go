package postgres

import (
	"context"
	"database/sql/driver"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/store/storetest"
)

// suite runs storetest; each of its folders has a database of its own.
func suite(t *testing.T, through func(driver.Connector) driver.Connector) {
	t.Helper()
	empty := template(t)
	var mu sync.Mutex
	addresses := map[string]string{} // by folder
	// The group lasts until the last test that copies the template has ended.
	t.Run("storetest", func(t *testing.T) { //nolint:paralleltest // The caller is.
		storetest.Run(t, func(tb testing.TB, dir string) store.Store {
			tb.Helper()
			mu.Lock()
			address := addresses[dir]
			mu.Unlock()
			if address == "" {
				address = database(tb, empty)
				mu.Lock()
				addresses[dir] = address
				mu.Unlock()
			}
			yes := func(*alarm.Event) bool { return true }
			s, err := Open(tb.Context(), address, Config{Readers: 2, Hooks: sqlstore.Hooks{Wanted: yes, Timed: yes, Watched: storetest.Watched}, through: through})
			if err != nil {
				tb.Fatalf("open the store: %v", err)
			}
			return s
		})
	})
}

func TestStore(t *testing.T) { //nolint:tparallel // The store suite of each is.
	t.Parallel()
	suite(t, nil)
}

// TestLostTransactions undoes each first commit of a transaction as PostgreSQL does it for
// the sake of another one: nobody may notice. So every kind of operation is done twice.
func TestLostTransactions(t *testing.T) { //nolint:tparallel // The store suite is.
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs the whole suite a second time")
	}
	var lost atomic.Int64
	suite(t, func(next driver.Connector) driver.Connector { return &losing{Connector: next, lost: &lost} })
	if lost.Load() < 1000 {
		t.Errorf("only %d transactions were lost", lost.Load())
	}
}

// losing is a database that loses every other commit.
type losing struct {
	driver.Connector
	lost *atomic.Int64
}

func (l *losing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := l.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &losingConn{Conn: conn.(*stdlib.Conn), lost: l.lost}, nil
}

type losingConn struct {
	*stdlib.Conn
	lost  *atomic.Int64
	spare bool // the next commit is left alone
}

// ExecContext implements driver.ExecerContext.
func (c *losingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if query == "COMMIT" {
		if c.spare = !c.spare; c.spare {
			if _, err := c.Conn.ExecContext(ctx, "ROLLBACK", nil); err != nil {
				return nil, err
			}
			c.lost.Add(1)
			return nil, &pgconn.PgError{Severity: "ERROR", Code: "40001", Message: "could not serialize access"}
		}
	}
	return c.Conn.ExecContext(ctx, query, args)
}
