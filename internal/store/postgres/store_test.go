package postgres

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/store/storetest"
)

// suite runs storetest; each of its folders has a database of its own.
func suite(t *testing.T, c Config) {
	t.Helper()
	folders := inFolders(t)
	// The group lasts until the last test that copies the template has ended.
	t.Run("storetest", func(t *testing.T) { //nolint:paralleltest // The caller is.
		storetest.Run(t, func(tb testing.TB, dir string) store.Store {
			tb.Helper()
			c, address := c, folders(tb, dir)
			sameUnderWay(tb, address)
			yes := func(*alarm.Event) bool { return true }
			c.Readers, c.Hooks = 2, sqlstore.Hooks{Wanted: yes, Timed: yes, Watched: storetest.Watched}
			s, err := Open(tb.Context(), address, c)
			if err != nil {
				tb.Fatalf("open the store: %v", err)
			}
			return s
		})
	})
}

func TestStore(t *testing.T) { //nolint:tparallel // The store suite of each is.
	t.Parallel()
	if testing.Short() {
		t.Skip("TestStoreExpects asks each statement's first time, and assumes afterwards")
	}
	suite(t, Config{})
}

// TestStoreExpects assumes from the second time on that a statement does what it did at first.
func TestStoreExpects(t *testing.T) { //nolint:tparallel // The store suite is.
	t.Parallel()
	suite(t, Config{expectAfter: 1})
}

func TestFolds(t *testing.T) { //nolint:tparallel // The store suite is.
	t.Parallel()
	folders := inFolders(t)
	// The group lasts until the last test that has a database has ended.
	t.Run("storetest", func(t *testing.T) { //nolint:paralleltest // The caller is.
		storetest.Folds(t, func(tb testing.TB, dir string) storetest.Pair {
			tb.Helper()
			address := folders(tb, dir)
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

// inFolders returns what returns the address of a folder's database.
func inFolders(t *testing.T) func(tb testing.TB, dir string) string {
	t.Helper()
	empty := template(t)
	var mu sync.Mutex
	addresses := map[string]string{} // by folder
	return func(tb testing.TB, dir string) string {
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
		return address
	}
}

// TestLostTransactions undoes each first commit of a transaction as PostgreSQL does it for
// the sake of another one: nobody may notice. So every kind of operation is done twice.
func TestLostTransactions(t *testing.T) { //nolint:tparallel // The store suite is.
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs the whole suite a second time")
	}
	var lost atomic.Int64
	suite(t, Config{expectAfter: 1, through: func(next sqlstore.Connector) sqlstore.Connector { return &losing{Connector: next, lost: &lost} }})
	if lost.Load() < 1000 {
		t.Errorf("only %d transactions were lost", lost.Load())
	}
}

// losing is a database that loses every other commit.
type losing struct {
	sqlstore.Connector
	lost *atomic.Int64
}

// Connect implements [sqlstore.Connector].
func (l *losing) Connect() (sqlstore.Connection, error) {
	conn, err := l.Connector.Connect()
	if err != nil {
		return nil, err
	}
	return &losingConn{connection: conn.(*connection), lost: l.lost}, nil
}

type losingConn struct {
	*connection
	lost  *atomic.Int64
	spare bool // the next commit is left alone
}

// Command implements [sqlstore.Connection].
func (c *losingConn) Command(text string) error {
	if text == commitCommand {
		if c.spare = !c.spare; c.spare {
			if err := errors.Join(c.Flush(), c.connection.Command(rollbackCommand)); err != nil {
				return err
			}
			c.lost.Add(1)
			return &pgconn.PgError{Severity: "ERROR", Code: "40001", Message: "could not serialize access"}
		}
	}
	return c.connection.Command(text)
}
