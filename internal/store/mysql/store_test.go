package mysql

import (
	"context"
	"database/sql/driver"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/store/storetest"
)

// suite runs storetest; each of its folders has a database of its own.
func suite(t *testing.T, through func(driver.Connector) driver.Connector) {
	t.Helper()
	folders := inFolders(t)
	// The group lasts until the last test that has a database has ended.
	t.Run("storetest", func(t *testing.T) { //nolint:paralleltest // The caller is.
		storetest.Run(t, func(tb testing.TB, dir string) store.Store {
			tb.Helper()
			address := folders(tb, t, dir)
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

func TestFolds(t *testing.T) { //nolint:tparallel // The store suite is.
	t.Parallel()
	folders := inFolders(t)
	// The group lasts until the last test that has a database has ended.
	t.Run("storetest", func(t *testing.T) { //nolint:paralleltest // The caller is.
		storetest.Folds(t, func(tb testing.TB, dir string) storetest.Pair {
			tb.Helper()
			address := folders(tb, t, dir)
			open := func() store.Store {
				s, err := Open(tb.Context(), address, Config{Readers: 2})
				if err != nil {
					tb.Fatalf("open the store: %v", err)
				}
				return s
			}
			return storetest.Pair{First: open(), Second: open()}
		})
	})
}

// inFolders returns what returns the address of a folder's database, which owner outlives.
func inFolders(t *testing.T) func(tb, owner testing.TB, dir string) string {
	t.Helper()
	server(t)
	var databases shelf
	var mu sync.Mutex
	addresses := map[string]string{} // by folder
	return func(tb, owner testing.TB, dir string) string {
		tb.Helper()
		mu.Lock()
		address := addresses[dir]
		mu.Unlock()
		if address == "" {
			address = databases.take(tb, owner)
			mu.Lock()
			addresses[dir] = address
			mu.Unlock()
		}
		return address
	}
}

// TestLostTransactions undoes the first commits of transactions as the database does it
// for the sake of another one, by a deadlock and by a lock that did not come: nobody may
// notice. So every kind of operation is done twice.
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

// fullConn is what the driver's connections are, as the pool of database/sql sees it.
type fullConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	driver.NamedValueChecker
}

func (l *losing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := l.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &losingConn{fullConn: conn.(fullConn), lost: l.lost}, nil
}

type losingConn struct {
	fullConn
	lost  *atomic.Int64
	spare bool // the next commit is left alone
}

// ExecContext implements driver.ExecerContext.
func (c *losingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if query == "COMMIT" {
		c.spare = !c.spare
	}
	if query != "COMMIT" || !c.spare {
		return c.fullConn.ExecContext(ctx, query, args)
	}
	if _, err := c.fullConn.ExecContext(ctx, "ROLLBACK", nil); err != nil {
		return nil, err
	}
	if c.lost.Add(1)%2 == 0 {
		return nil, &mysql.MySQLError{Number: 1205, Message: "Lock wait timeout exceeded; try restarting transaction"}
	}
	return nil, &mysql.MySQLError{Number: 1213, Message: "Deadlock found when trying to get lock; try restarting transaction"}
}
