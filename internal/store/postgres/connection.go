package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/orthd/orth/internal/store/sqlstore"
)

// connector opens the writer's connections.
type connector struct {
	config *pgconn.Config
	// silent is how long a connection waits for one answer.
	silent time.Duration
	trips  atomic.Int64 // how often a connection has waited for answers
	ending sync.WaitGroup
}

// answerFor is the least that a connection waits for one answer: longer than the server lets a
// statement take, so that only a server that is stopped or cut off is given up.
const answerFor = (statementFor + turnFor) * time.Millisecond

func newConnector(base *pgx.ConnConfig, settings map[string]string) *connector {
	config := base.Config.Copy()
	config.AfterConnect = begin(settings)
	return &connector{config: config, silent: answerFor}
}

// Connect implements [sqlstore.Connector].
func (c *connector) Connect() (sqlstore.Connection, error) {
	conn, err := pgconn.ConnectConfig(context.Background(), c.config) // it has a separate time limit
	if err != nil {
		if _, said := errors.AsType[*pgconn.PgError](err); said {
			return nil, err
		}
		return nil, &lostError{err}
	}
	return &connection{owner: c, conn: conn, commands: make(map[string]*statement)}, nil
}

// Close implements [sqlstore.Connector]. Connections are not kept: it waits for the ends of
// those that were dropped.
func (c *connector) Close() error {
	c.ending.Wait()
	return nil
}

// lostError means that a connection was lost, and with it the answers that it waited for.
// The error of an ended context in it is ours, and none of a caller's.
type lostError struct{ err error }

// Error implements error.
func (e *lostError) Error() string { return e.err.Error() }

// errGone means that a connection was lost before it was used again.
var errGone = errors.New("the connection is closed")

// errUndone means that PostgreSQL has answered a COMMIT with a ROLLBACK.
var errUndone = errors.New("the database has undone the transaction: a statement of it had failed")

// The commands that end a transaction.
const (
	commitCommand   = "COMMIT"
	rollbackCommand = "ROLLBACK"
)

// connection is a session that sends several statements at a time.
type connection struct {
	owner    *connector
	conn     *pgconn.PgConn
	prepared int                   // statements so far, for their names
	commands map[string]*statement // what Command ran: constants
	queue
}

// Command implements [sqlstore.Connection]. It takes several statements with semicolons
// between them. All but COMMIT and ROLLBACK are queued.
func (c *connection) Command(text string) error {
	if c.conn.IsClosed() {
		return errGone
	}
	switch text {
	case commitCommand:
		tag, err := c.command(text)
		if err == nil && tag != text {
			return errUndone
		}
		return err
	case rollbackCommand:
		if c.clear(); c.conn.TxStatus() == 'I' { // it did not begin
			return nil
		}
		_, err := c.command(text)
		return err
	}
	for one := range strings.SplitSeq(text, ";") {
		s, err := c.commanded(strings.TrimSpace(one))
		if err != nil {
			return err
		}
		c.add(request{statement: s, begins: true})
	}
	return nil
}

// command runs a command and returns what the database calls what it did.
func (c *connection) command(text string) (tag string, err error) {
	s, err := c.commanded(text)
	if err != nil {
		return "", err
	}
	c.add(request{statement: s})
	done, err := c.ask()
	return done.tag.String(), err
}

func (c *connection) commanded(text string) (*statement, error) {
	if s, known := c.commands[text]; known {
		return s, nil
	}
	s, err := c.prepare(text)
	if err == nil {
		c.commands[text] = s
	}
	return s, err
}

// Prepare implements [sqlstore.Connection].
func (c *connection) Prepare(text string) (sqlstore.Statement, error) {
	s, err := c.prepare(text)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (c *connection) prepare(text string) (*statement, error) {
	c.prepared++
	s := &statement{conn: c, text: text, name: "s" + strconv.Itoa(c.prepared)}
	c.add(request{statement: s, prepares: true})
	done, err := c.ask()
	if err != nil {
		return nil, err
	}
	s.description = done.description
	s.description.Name = s.name
	s.formats = make([]int16, len(s.description.ParamOIDs))
	for i, oid := range s.description.ParamOIDs {
		s.formats[i] = formatOf(oid)
	}
	s.results = make([]int16, len(s.description.Fields))
	for i := range s.description.Fields {
		s.results[i] = formatOf(s.description.Fields[i].DataTypeOID)
	}
	return s, nil
}

// Flush implements [sqlstore.Pipe].
func (c *connection) Flush() error {
	if len(c.requests) == 0 {
		return nil
	}
	_, err := c.send(-1) // the answer is not needed
	return err
}

// Release implements [sqlstore.Connection].
func (c *connection) Release() error {
	ctx, cancel := context.WithTimeout(context.Background(), farewellFor)
	defer cancel()
	c.clear()
	return c.conn.Close(ctx)
}

// Drop implements [sqlstore.Connection].
func (c *connection) Drop() {
	_ = c.Release()                                      // it may be gone
	c.owner.ending.Go(func() { <-c.conn.CleanupDone() }) // after an error the connection ends on its side
}

// statement is a prepared statement.
type statement struct {
	conn        *connection
	text, name  string
	description *pgconn.StatementDescription
	formats     []int16 // of the arguments
	results     []int16 // of the columns
	closed      bool
}

// Exec implements [sqlstore.Statement].
func (s *statement) Exec(args []any) (int64, error) {
	if err := s.enqueue(args, request{}); err != nil {
		return 0, err
	}
	done, err := s.conn.ask()
	return done.tag.RowsAffected(), err
}

// Query implements [sqlstore.Statement]. The rows are all there when it returns.
func (s *statement) Query(args []any) (sqlstore.Rows, error) {
	if err := s.enqueue(args, request{reads: true}); err != nil {
		return nil, err
	}
	done, err := s.conn.ask()
	if err != nil {
		return nil, err
	}
	return done.rows, nil
}

// Post implements [sqlstore.Poster].
func (s *statement) Post(args []any) error {
	if err := s.enqueue(args, request{}); err != nil {
		return err
	}
	if s.conn.full() {
		return s.conn.Flush()
	}
	return nil
}

func (s *statement) enqueue(args []any, r request) error {
	switch {
	case s.closed:
		return errors.New("the statement is closed")
	case len(args) != len(s.formats):
		return fmt.Errorf("%d arguments for %d placeholders", len(args), len(s.formats))
	}
	first := len(s.conn.values)
	for i, arg := range args {
		if err := s.conn.put(s.description.ParamOIDs[i], arg); err != nil {
			s.conn.values = s.conn.values[:first]
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	r.statement, r.first = s, first
	s.conn.add(r)
	return nil
}

// Close implements [sqlstore.Statement]. The server forgets the statement some time later.
func (s *statement) Close() error {
	if !s.closed && !s.conn.conn.IsClosed() {
		s.conn.add(request{statement: s, closes: true})
	}
	s.closed = true
	return nil
}
