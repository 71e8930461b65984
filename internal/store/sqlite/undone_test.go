package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/store/storetest"
)

// errUndone stands for what SQLite never says and the other databases do: the transaction
// was undone for the sake of another one.
var errUndone = errors.New("the transaction was undone")

func TestUndone(t *testing.T) {
	t.Parallel()
	storetest.Undone(t, func(tb testing.TB, dir string) storetest.Pair {
		tb.Helper()
		path, undoing := filepath.Join(dir, "orth.db"), new(atomic.Pointer[func()])
		open := func(through func(driver.Connector) driver.Connector) *sqlstore.Store {
			s, err := openUnlocked(path, through)
			if err != nil {
				tb.Fatalf("open the store: %v", err)
			}
			return s
		}
		return storetest.Pair{
			First:  open(func(next driver.Connector) driver.Connector { return &undoer{Connector: next, between: undoing} }),
			Second: open(func(next driver.Connector) driver.Connector { return next }),
			Undo:   func(between func()) { undoing.Store(&between) },
		}
	})
}

// openUnlocked opens a file that others may have open.
func openUnlocked(path string, through func(driver.Connector) driver.Connector) (*sqlstore.Store, error) {
	c := &Config{Readers: 2}
	write, err := pool(path, 1, writeSettings(c))
	if err != nil {
		return nil, err
	}
	if err := migrate(write, path); err != nil {
		return nil, and(err, write.Close())
	}
	if err := write.Close(); err != nil {
		return nil, err
	}
	connector, err := connect(path, writeSettings(c))
	if err != nil {
		return nil, err
	}
	read, err := pool(path, c.Readers, readSettings())
	if err != nil {
		return nil, err
	}
	d := dialect()
	d.Fault = func(err error) sqlstore.Fault {
		if errors.Is(err, errUndone) {
			return sqlstore.FaultLost
		}
		return fault(err)
	}
	write = sql.OpenDB(through(connector))
	write.SetMaxOpenConns(1)
	return sqlstore.New(sqlstore.Config{Dialect: d, Write: write, Read: read})
}

// undoer undoes a commit, calls between, and says so.
type undoer struct {
	driver.Connector
	between *atomic.Pointer[func()]
}

func (u *undoer) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := u.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &undoerConn{fullConn: conn.(fullConn), between: u.between}, nil
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
}

type undoerConn struct {
	fullConn
	between *atomic.Pointer[func()]
}

// ExecContext implements driver.ExecerContext.
func (c *undoerConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if query == "COMMIT" {
		if between := c.between.Swap(nil); between != nil {
			if _, err := c.fullConn.ExecContext(ctx, "ROLLBACK", nil); err != nil {
				return nil, err
			}
			(*between)()
			return nil, errUndone
		}
	}
	return c.fullConn.ExecContext(ctx, query, args)
}
