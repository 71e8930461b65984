package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"github.com/orthd/orth/internal/store/sqlstore"
)

// connector opens the writer's connections by SQLite's own interface: database/sql and its
// driver cost a quarter of the writer's work.
type connector struct {
	name     string // a URI
	settings []string

	mu     sync.Mutex
	idle   *connection // guarded by mu; nil while it is in use, or there is none
	closed bool        // guarded by mu
}

// errClosed is the error of a connection that is used after its end.
var errClosed = errors.New("the connection to the database is closed")

// newConnector returns a connector that has a connection: from now on SQLite takes no other
// one for the last, which would move the log into the file and remove it.
func newConnector(path string, settings []string) (*connector, error) {
	c := &connector{name: fileURI(path, nil), settings: settings}
	conn, err := c.openFile()
	if err != nil {
		return nil, err
	}
	c.idle = conn
	return c, nil
}

// Connect implements [sqlstore.Connector].
func (c *connector) Connect() (sqlstore.Connection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	if conn := c.idle; conn != nil {
		c.idle = nil
		return conn, nil
	}
	conn, err := c.openFile()
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// Close implements [sqlstore.Connector].
func (c *connector) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.idle == nil {
		return nil
	}
	err := c.idle.closeAll()
	c.idle = nil
	return err
}

// connection is a connection of SQLite with its memory. All that it allocates is freed by
// end, or earlier.
type connection struct {
	owner      *connector
	tls        *libc.TLS
	db         uintptr // 0 after end
	out        uintptr // where SQLite writes the handle and the rest of what it prepares: two pointers
	arguments  arguments
	statements map[*statement]struct{} // that are not closed
	commands   map[string]*statement   // of those, what Command ran: constants
}

// openFile opens the file, which exists.
func (c *connector) openFile() (*connection, error) {
	conn := &connection{
		owner: c, tls: libc.NewTLS(), statements: make(map[*statement]struct{}), commands: make(map[string]*statement),
	}
	conn.arguments.tls = conn.tls
	if err := conn.begin(); err != nil {
		return nil, errors.Join(err, conn.closeAll())
	}
	return conn, nil
}

func (c *connection) begin() error {
	const flags = lib.SQLITE_OPEN_READWRITE | lib.SQLITE_OPEN_URI | lib.SQLITE_OPEN_NOMUTEX // one goroutine at a time
	if c.out = lib.Xsqlite3_malloc64(c.tls, uint64(2*unsafe.Sizeof(c.out))); c.out == 0 {
		return c.fault(lib.SQLITE_NOMEM)
	}
	name, err := c.copyText(c.owner.name)
	if err != nil {
		return err
	}
	defer lib.Xsqlite3_free(c.tls, name)
	rc := lib.Xsqlite3_open_v2(c.tls, name, c.out, flags, 0)
	c.db = *(*uintptr)(pointer(c.out)) // it has to be closed also after an error
	if rc != lib.SQLITE_OK {
		return c.fault(rc)
	}
	if rc := lib.Xsqlite3_extended_result_codes(c.tls, c.db, 1); rc != lib.SQLITE_OK {
		return c.fault(rc)
	}
	if err := c.configure(); err != nil {
		return err
	}
	for _, setting := range c.owner.settings {
		if err := c.runOnce("PRAGMA " + setting); err != nil {
			return fmt.Errorf("PRAGMA %s: %w", setting, err)
		}
	}
	return nil
}

// configure sets what no PRAGMA does, before a statement is prepared.
func (c *connection) configure() error {
	const slot = 8 // bytes of an argument
	list := lib.Xsqlite3_malloc64(c.tls, 2*slot)
	if list == 0 {
		return c.fault(lib.SQLITE_NOMEM)
	}
	defer lib.Xsqlite3_free(c.tls, list)
	for _, option := range []int32{lib.SQLITE_DBCONFIG_DQS_DDL, lib.SQLITE_DBCONFIG_DQS_DML} { // "x" is a name, never a text
		if rc := lib.Xsqlite3_db_config(c.tls, c.db, option, libc.VaList(list, int32(0), uintptr(0))); rc != lib.SQLITE_OK {
			return c.fault(rc)
		}
	}
	return nil
}

// Command implements [sqlstore.Connection].
func (c *connection) Command(text string) error {
	command, known := c.commands[text]
	if !known {
		var err error
		if command, err = c.prepare(text); err != nil {
			return err
		}
		c.commands[text] = command
	}
	_, err := command.Exec(nil)
	return err
}

// runOnce runs a statement once.
func (c *connection) runOnce(text string) error {
	s, err := c.prepare(text)
	if err != nil {
		return err
	}
	_, err = s.Exec(nil)
	return errors.Join(err, s.Close())
}

// Prepare implements [sqlstore.Connection].
func (c *connection) Prepare(text string) (sqlstore.Statement, error) { return c.prepare(text) }

func (c *connection) prepare(text string) (*statement, error) {
	if c.db == 0 {
		return nil, errClosed
	}
	p, err := c.copyText(text)
	if err != nil {
		return nil, err
	}
	defer lib.Xsqlite3_free(c.tls, p)
	rest := c.out + unsafe.Sizeof(c.out)
	// It lives long: SQLite keeps it out of the few slots for small objects, which statements
	// that run take and give back many times.
	rc := lib.Xsqlite3_prepare_v3(c.tls, c.db, p, -1, lib.SQLITE_PREPARE_PERSISTENT, c.out, rest)
	if rc != lib.SQLITE_OK {
		return nil, c.fault(rc)
	}
	s := &statement{conn: c, handle: *(*uintptr)(pointer(c.out))}
	tail := libc.GoString(*(*uintptr)(pointer(rest)))
	if s.handle == 0 || strings.Trim(tail, " \t\n;") != "" {
		_ = lib.Xsqlite3_finalize(c.tls, s.handle) // it has not run
		return nil, fmt.Errorf("%q is not one statement", text)
	}
	s.placeholders = int(lib.Xsqlite3_bind_parameter_count(c.tls, s.handle))
	s.reads = lib.Xsqlite3_stmt_readonly(c.tls, s.handle) != 0
	c.statements[s] = struct{}{}
	return s, nil
}

// Release implements [sqlstore.Connection].
func (c *connection) Release() error {
	c.owner.mu.Lock()
	defer c.owner.mu.Unlock()
	if c.owner.closed {
		return c.closeAll()
	}
	c.owner.idle = c
	return nil
}

// Drop implements [sqlstore.Connection].
func (c *connection) Drop() { _ = c.closeAll() } // what has failed has been reported

// closeAll closes the connection, with the transaction and the statements that are open, and
// frees its memory.
func (c *connection) closeAll() error {
	if c.tls == nil {
		return nil
	}
	for s := range c.statements {
		_ = s.Close() // its last error has been reported
	}
	clear(c.commands)
	var err error
	if c.db != 0 {
		if rc := lib.Xsqlite3_close(c.tls, c.db); rc != lib.SQLITE_OK {
			err = c.fault(rc)
			_ = lib.Xsqlite3_close_v2(c.tls, c.db) // when the last of what is in use is closed
		}
		c.db = 0
	}
	c.arguments.freeAll()
	lib.Xsqlite3_free(c.tls, c.out)
	c.tls.Close()
	c.tls = nil
	return err
}

// copyText returns a copy that ends with a NUL, to be freed. A text with a NUL in it is an error:
// SQLite would read its beginning.
func (c *connection) copyText(text string) (uintptr, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return 0, fmt.Errorf("%q has a NUL in it", text)
	}
	p := lib.Xsqlite3_malloc64(c.tls, uint64(len(text))+1)
	if p == 0 {
		return 0, c.fault(lib.SQLITE_NOMEM)
	}
	to := bytesAt(p, len(text)+1)
	copy(to, text)
	to[len(text)] = 0
	return p, nil
}

// resultError is an error of the writer's connection, with SQLite's extended result code.
type resultError struct {
	code int
	text string
}

// Error returns the texts of the code and of the connection, as the driver of the readers
// writes them.
func (e *resultError) Error() string { return e.text }

// fault returns the error that a call has answered with, which was the last one on the
// connection.
func (c *connection) fault(rc int32) error {
	text := libc.GoString(lib.Xsqlite3_errstr(c.tls, rc))
	if c.db != 0 {
		// Otherwise the connection speaks of another call.
		if last := lib.Xsqlite3_extended_errcode(c.tls, c.db); last == rc || last&0xff == rc&0xff {
			if more := libc.GoString(lib.Xsqlite3_errmsg(c.tls, c.db)); more != text {
				text += ": " + more
			}
		}
	}
	text = fmt.Sprintf("%s (%d)", text, rc)
	if rc == lib.SQLITE_BUSY {
		text += " (SQLITE_BUSY)"
	}
	return &resultError{code: int(rc), text: text}
}

// pointer returns an address in SQLite's memory, which the collector does not know, as a
// pointer.
func pointer(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address)) //nolint:gosec // It is SQLite's, until SQLite frees it.
}

// bytesAt returns n bytes of SQLite's memory.
func bytesAt(address uintptr, n int) []byte {
	return unsafe.Slice((*byte)(pointer(address)), n) //nolint:gosec // SQLite returns how many there are.
}
