package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// Connector opens the writer's connections, one at a time.
type Connector interface {
	// Connect returns a connection that the connector keeps, or a new one.
	Connect() (Connection, error)
	// Close ends the connections that the connector keeps. It keeps none that comes later.
	Close() error
}

// Connection is a session of the database. One goroutine uses it at a time.
type Connection interface {
	// Command runs a statement that takes no arguments and is none of those that change
	// rows: BEGIN, COMMIT, ROLLBACK and settings. That of [Dialect.Begin] may be several, with
	// semicolons between them.
	Command(text string) error
	// Prepare returns a statement of one command, in the database's own words.
	Prepare(text string) (Statement, error)
	// Release gives the connection back to its connector. No transaction is open, and no
	// statement is used again.
	Release() error
	// Drop ends the connection, and the transaction that is open on it. Its state need not
	// be known. No statement is used again.
	Drop()
}

// Pipe is a [Connection] that sends several statements at a time and waits for their answers
// once. Its Command only queues what it is given, unless that ends the transaction. Its
// statements are [Poster]s.
type Pipe interface {
	Connection
	// Flush sends what is queued and waits for the answers. It returns the first error, which
	// is a [*PostedError] when the database answered with it.
	Flush() error
}

// Poster is a [Statement] of a [Pipe].
type Poster interface {
	Statement
	// Post queues the statement. It runs before any other that comes later, at the latest in
	// front of COMMIT, and the call that waits for that one's answer returns its error. The
	// arguments are the caller's again when it returns.
	Post(args []any) error
}

// PostedError is what the database answered to a queued statement, in the place of the answer
// that was waited for. The transaction has not been committed.
type PostedError struct {
	// Text is the statement, in the database's own words.
	Text string
	// Begins reports that it was a Command: the transaction has not begun.
	Begins bool
	Err    error
}

// Error implements error.
func (e *PostedError) Error() string { return startOf(e.Text) + ": " + e.Err.Error() }

// Unwrap returns what the database answered.
func (e *PostedError) Unwrap() error { return e.Err }

// Statement is a prepared statement of a [Connection], and used by the same goroutine.
type Statement interface {
	// Exec runs the statement to its end and returns how many rows it changed. The arguments
	// are the caller's again when it returns.
	Exec(args []any) (changed int64, err error)
	// Query runs the statement and returns its rows. The caller closes them.
	Query(args []any) (Rows, error)
	// Close frees the statement. Its rows are closed before.
	Close() error
}

// Rows are the rows of a query, as of [sql.Rows].
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// Pool returns a connector that takes connections out of a pool, which it owns.
func Pool(db *sql.DB) Connector { return pool{db} }

type pool struct{ db *sql.DB }

// Connect implements [Connector].
func (p pool) Connect() (Connection, error) {
	conn, err := p.db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	return pooled{conn}, nil
}

// Close implements [Connector].
func (p pool) Close() error { return p.db.Close() }

// pooled is a connection out of a pool.
type pooled struct{ conn *sql.Conn }

// Command implements [Connection].
func (p pooled) Command(text string) error {
	_, err := p.conn.ExecContext(context.Background(), text)
	return err
}

// Prepare implements [Connection].
func (p pooled) Prepare(text string) (Statement, error) {
	statement, err := p.conn.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	return pooledStatement{statement}, nil
}

// Release implements [Connection].
func (p pooled) Release() error { return p.conn.Close() }

// Drop implements [Connection].
func (p pooled) Drop() {
	_ = p.conn.Raw(func(any) error { return driver.ErrBadConn }) // the error is the one given
	_ = p.conn.Close()                                           // it is closed already
}

type pooledStatement struct{ statement *sql.Stmt }

// Exec implements [Statement].
func (p pooledStatement) Exec(args []any) (int64, error) {
	result, err := p.statement.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Query implements [Statement].
func (p pooledStatement) Query(args []any) (Rows, error) {
	return p.statement.QueryContext(context.Background(), args...) //nolint:rowserrcheck // The caller does.
}

// Close implements [Statement].
func (p pooledStatement) Close() error { return p.statement.Close() }
