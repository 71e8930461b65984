package sqlstore

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/redact"
)

// session is the writer's connection, with its prepared statements. A connection whose
// state is not certain is closed, and the next transaction gets a new one: closing a
// connection ends its transaction.
type session struct {
	connector Connector
	tx
	// broken means that the transaction cannot go on.
	broken bool
	// settled means that the connection is known to lead to the database that the numbers
	// belong to; opened counts connections.
	settled bool
	opened  atomic.Int64
	// refreshed is when the last Refresh of the dialect was.
	refreshed time.Time
}

// refreshEvery is how long lies between two times that Refresh is done.
const refreshEvery = 2 * time.Second

// tx is what an operation may do. It is valid during the operation only.
type tx struct {
	dialect    *Dialect
	limits     *Limits
	conn       Connection // nil while there is none
	statements map[string]Statement
	trust
	// placed counts the placeholders of statements for many rows that are prepared.
	placed int
	// mask takes secrets out of what the audit gets to see.
	mask *redact.Mask
	// audited means that the current operation has an author. changes counts the rows that
	// it has changed. about is what it has made, or what its object is called from now on;
	// report is its own report, as JSON, when no row has it.
	audited bool
	changes int64
	// failed means that a statement of the transaction has failed: its commit may write
	// nothing and report no error.
	failed bool
	// unbegun is the error of the beginning of the transaction, if that is known only now.
	unbegun error
	about   intent.Object
	report  string
	// lines are those of the audit that the transaction has written so far.
	lines []audit.Line
	// released means that runs were released that had waited for others.
	released bool
	// changed holds the changes of the transaction so far, for watchers.
	changed []event.Change
	// deltas are the counts of the transaction so far, and encoded is memory for a row of
	// them. folded means that it has left no deltas of earlier ones.
	deltas  []delta
	encoded []byte
	folded  bool
	// spans is where the transaction has written runs.
	spans spans
	// wroteEvents means that events were written. wanted is Hooks.Wanted.
	wroteEvents bool
	wanted      func(*alarm.Event) bool
}

func newSession(c *Config) *session {
	hide, _ := redact.New(redact.Config{}) // what has no patterns has no wrong ones
	return &session{connector: c.Write, tx: tx{
		dialect: &c.Dialect, limits: &c.Limits, statements: make(map[string]Statement), trust: newTrust(&c.Dialect), mask: hide, wanted: c.Hooks.Wanted, spans: spans{known: make(map[int64]int64)},
	}}
}

func (s *session) begin() error {
	s.broken, s.failed, s.unbegun, s.changed, s.lines = false, false, nil, s.changed[:0], nil
	s.assumed, s.mistaken = false, false
	s.deltas, s.folded = s.deltas[:0], false
	s.spans.fresh, s.spans.left = s.spans.fresh[:0], s.spans.left[:0]
	used := s.conn != nil
	err := s.open()
	if err != nil && used && s.dialect.Gone != nil && s.dialect.Gone(err) {
		err = s.open() // the database has ended the session while nothing was to be done
	}
	return err
}

// open begins a transaction on the connection that is there, or on a new one.
func (s *session) open() error {
	if s.conn == nil {
		conn, err := s.connector.Connect()
		if err != nil {
			return err
		}
		s.conn, s.settled = conn, false
		s.opened.Add(1)
	}
	if now := time.Now(); s.dialect.Refresh != "" && now.Sub(s.refreshed) >= refreshEvery {
		if err := s.conn.Command(s.dialect.Refresh); err != nil {
			s.drop()
			return err
		}
		s.refreshed = now
	}
	if err := s.conn.Command(s.dialect.Begin); err != nil {
		s.drop()
		return err
	}
	return nil
}

func (s *session) commit() error {
	err := s.conn.Command("COMMIT")
	s.settled = s.settled || err == nil
	s.blame(err)
	return err
}

// rollback makes certain that no transaction is open.
func (s *session) rollback() {
	if s.conn == nil {
		return
	}
	if s.broken || s.conn.Command("ROLLBACK") != nil {
		s.drop()
	}
}

func (s *session) savepoint() error { return s.mark("SAVEPOINT operation") }
func (s *session) release() error   { return s.mark("RELEASE SAVEPOINT operation") }

// undo takes back what was written since the savepoint.
func (s *session) undo() {
	if _, err := s.exec("ROLLBACK TO SAVEPOINT operation"); err != nil {
		s.broken = true
		return
	}
	_ = s.release() // an error is in broken
}

// mark runs a statement about a savepoint. When that fails the transaction has ended or is
// in an unknown state.
func (s *session) mark(query string) error {
	err := s.do(query)
	s.broken = s.broken || err != nil
	return err
}

// drop throws the connection away.
func (s *session) drop() {
	if s.conn == nil {
		return
	}
	s.forget()
	s.conn.Drop()
	s.conn = nil
}

// close gives the connection back.
func (s *session) close() {
	if s.conn == nil {
		return
	}
	s.forget()
	_ = s.conn.Release() // nothing is open on it
	s.conn = nil
}

// maxStatements bounds the statements that a connection has prepared. Statements are
// constants, or constants with a list of one of few lengths: the bound is for the mistake of
// one that is neither.
const maxStatements = 4000

// prepared returns the statement, prepared once for each connection.
func (t *tx) prepared(query string) (Statement, error) {
	if statement, ok := t.statements[query]; ok {
		return statement, nil
	}
	return t.prepare(query, t.dialect.Rebind(query))
}

// prepare prepares a text in the database's own words, and remembers it by a name.
func (t *tx) prepare(name, text string) (Statement, error) {
	if len(t.statements) >= maxStatements {
		t.forget()
	}
	statement, err := t.conn.Prepare(text)
	if err != nil {
		return nil, t.fails("prepare "+startOf(text), err)
	}
	t.statements[name] = statement
	return statement, nil
}

// forget closes all statements.
func (t *tx) forget() {
	for _, statement := range t.statements {
		_ = statement.Close() // none of them is used again
	}
	clear(t.statements)
	t.placed = 0
}

// exec runs a statement that changes rows and returns how many it changed.
func (t *tx) exec(query string, args ...any) (int64, error) { return t.execAs(query, query, args) }

// execAs is exec for a statement that was prepared by a name, and may leave out what the
// text of another one does.
func (t *tx) execAs(query, keeps string, args []any) (int64, error) {
	statement, err := t.prepared(query)
	if err != nil {
		return 0, err
	}
	return t.run(statement, query, keeps, args)
}

// run runs a statement that was prepared for a query.
func (t *tx) run(statement Statement, query, keeps string, args []any) (int64, error) {
	n, err := statement.Exec(t.dialect.storable(args))
	if err != nil {
		if t.dialect.Kept != nil && t.dialect.Kept(keeps, err) {
			return 0, nil
		}
		return 0, t.fails(startOf(query), err)
	}
	t.changes += n
	return n, nil
}

// fails notes that a statement has failed, or one that was queued before it, and returns the
// error with what was tried.
func (t *tx) fails(what string, err error) error {
	t.failed = true
	t.blame(err)
	if _, other := errors.AsType[*PostedError](err); other {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

// blame records what an error of a queued statement means for the transaction.
func (t *tx) blame(err error) {
	posted, ok := errors.AsType[*PostedError](err)
	switch {
	case !ok:
	case posted.Begins:
		t.unbegun = err
	default:
		t.disappointed(posted)
	}
}

// do runs a statement whose effect the caller does not need. It may be queued.
func (t *tx) do(query string, args ...any) error {
	statement, err := t.prepared(query)
	if err != nil {
		return err
	}
	if poster, ok := statement.(Poster); ok && !t.audited {
		return t.post(poster, query, t.dialect.storable(args))
	}
	_, err = t.run(statement, query, query, args)
	return err
}

// post queues a statement.
func (t *tx) post(statement Poster, query string, args []any) error {
	if err := statement.Post(args); err != nil {
		return t.fails(startOf(query), err)
	}
	return nil
}

// flush waits for the answers to what is queued.
func (t *tx) flush() error {
	pipe, ok := t.conn.(Pipe)
	if !ok {
		return nil
	}
	err := pipe.Flush()
	if err != nil {
		t.failed = true
		t.blame(err)
	}
	return err
}

// one runs a statement that changes at most one row and reports whether it did.
func (t *tx) one(query string, args ...any) (bool, error) {
	if t.assumes(query) {
		return true, t.expectOne(query, args)
	}
	n, err := t.exec(query, args...)
	if err == nil && n == 0 {
		t.missed(query)
	}
	return n > 0, err
}

// query runs a query in the transaction.
func (t *tx) query(query string, args []any) (Rows, error) {
	statement, err := t.prepared(query)
	if err != nil {
		return nil, err
	}
	rows, err := statement.Query(t.dialect.storable(args))
	if err != nil {
		return nil, t.fails(startOf(query), err)
	}
	return rows, nil
}

// read reads one row into dest and reports whether there is one.
func (t *tx) read(query string, args, dest []any) (bool, error) {
	rows, err := t.query(query, args)
	if err != nil {
		return false, err
	}
	found := rows.Next()
	if found {
		err = rows.Scan(dest...)
	}
	if err == nil {
		err = rows.Err()
	}
	if closed := rows.Close(); err == nil {
		err = closed
	}
	if err != nil {
		t.failed = true
		return false, fmt.Errorf("%s: %w", startOf(query), err)
	}
	return found, nil
}

// readEach calls take with each row of a query in the transaction, as takeRows does.
func readEach[T any](t *tx, fields func(*T) []any, take func(*T), query string, args ...any) error {
	rows, err := t.query(query, args)
	if err != nil {
		return err
	}
	if err := takeRows(rows, fields, take, query); err != nil {
		t.failed = true
		return err
	}
	return nil
}
