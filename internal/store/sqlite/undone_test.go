package sqlite

import (
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
	storetest.Undone(t, openPair)
}

func TestFolds(t *testing.T) {
	t.Parallel()
	storetest.Folds(t, openPair)
	storetest.UndoneFolds(t, openPair)
}

// openPair opens a file twice.
func openPair(tb testing.TB, dir string) storetest.Pair {
	tb.Helper()
	path, undoing := filepath.Join(dir, "orth.db"), new(atomic.Pointer[func()])
	open := func(through func(sqlstore.Connector) sqlstore.Connector) *sqlstore.Store {
		s, err := openUnlocked(path, through)
		if err != nil {
			tb.Fatalf("open the store: %v", err)
		}
		return s
	}
	return storetest.Pair{
		First:  open(func(next sqlstore.Connector) sqlstore.Connector { return &undoer{Connector: next, between: undoing} }),
		Second: open(func(next sqlstore.Connector) sqlstore.Connector { return next }),
		Undo:   func(between func()) { undoing.Store(&between) },
	}
}

// openUnlocked opens a file that others may have open.
func openUnlocked(path string, through func(sqlstore.Connector) sqlstore.Connector) (*sqlstore.Store, error) {
	c := &Config{Readers: 2}
	write, err := openPool(path, 1, writeSettings(c))
	if err != nil {
		return nil, err
	}
	if err := migrate(write, path); err != nil {
		return nil, joinErrors(err, write.Close())
	}
	if err := write.Close(); err != nil {
		return nil, err
	}
	writer, err := newConnector(path, writeSettings(c))
	if err != nil {
		return nil, err
	}
	read, err := openPool(path, c.Readers, readSettings())
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
	return sqlstore.New(sqlstore.Config{Dialect: d, Write: through(writer), Read: read})
}

// undoer undoes a commit, calls between, and says so.
type undoer struct {
	sqlstore.Connector
	between *atomic.Pointer[func()]
}

// Connect implements [sqlstore.Connector].
func (u *undoer) Connect() (sqlstore.Connection, error) {
	conn, err := u.Connector.Connect()
	if err != nil {
		return nil, err
	}
	return &undoerConn{Connection: conn, between: u.between}, nil
}

type undoerConn struct {
	sqlstore.Connection
	between *atomic.Pointer[func()]
}

// Command implements [sqlstore.Connection].
func (c *undoerConn) Command(text string) error {
	if text == "COMMIT" {
		if between := c.between.Swap(nil); between != nil {
			if err := c.Connection.Command("ROLLBACK"); err != nil {
				return err
			}
			(*between)()
			return errUndone
		}
	}
	return c.Connection.Command(text)
}
