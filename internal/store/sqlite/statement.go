package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"fmt"

	lib "modernc.org/sqlite/lib"

	"github.com/orthd/orth/internal/store/sqlstore"
)

// statement is a prepared statement.
type statement struct {
	conn         *connection
	handle       uintptr // 0 after Close
	placeholders int
	reads        bool // it changes no rows; transactions and savepoints neither
	cursor       cursor
}

// Exec implements [sqlstore.Statement].
func (s *statement) Exec(args []any) (int64, error) {
	if err := s.start(args); err != nil {
		return 0, err
	}
	for {
		rc := lib.Xsqlite3_step(s.conn.tls, s.handle)
		if rc == lib.SQLITE_ROW { // of a PRAGMA
			continue
		}
		if rc != lib.SQLITE_DONE {
			return 0, s.reset(s.conn.fault(rc))
		}
		var changed int64
		if !s.reads {
			changed = lib.Xsqlite3_changes64(s.conn.tls, s.conn.db)
		}
		return changed, s.reset(nil)
	}
}

// Query implements [sqlstore.Statement]. Its rows are read before it runs again.
func (s *statement) Query(args []any) (sqlstore.Rows, error) {
	if err := s.start(args); err != nil {
		return nil, err
	}
	s.cursor = cursor{statement: s, columns: int(lib.Xsqlite3_column_count(s.conn.tls, s.handle)), open: true}
	return &s.cursor, nil
}

// Close implements [sqlstore.Statement].
func (s *statement) Close() error {
	if s.handle == 0 {
		return nil
	}
	err := s.cursor.Close()
	_ = lib.Xsqlite3_finalize(s.conn.tls, s.handle) // it returns the last error once more
	s.handle = 0
	delete(s.conn.statements, s)
	return err
}

// start binds the arguments.
func (s *statement) start(args []any) error {
	if s.handle == 0 {
		return errClosed
	}
	if s.cursor.open {
		return fmt.Errorf("the rows of a statement are open while it is run again")
	}
	if len(args) != s.placeholders {
		return fmt.Errorf("%d arguments for %d placeholders", len(args), s.placeholders)
	}
	s.conn.arguments.users++
	for i, arg := range args {
		if err := s.bindArg(int32(i)+1, arg); err != nil {
			return s.reset(err)
		}
	}
	return nil
}

// reset makes the statement ready for the next time, and returns err. What was bound stays
// bound, to memory that may be gone: the next time binds everything.
func (s *statement) reset(err error) error {
	_ = lib.Xsqlite3_reset(s.conn.tls, s.handle) // it returns the last error once more
	s.conn.arguments.endUse()
	return err
}

func (s *statement) bindArg(place int32, arg any) error {
	var rc int32
	tls := s.conn.tls
	switch v := arg.(type) {
	case nil:
		rc = lib.Xsqlite3_bind_null(tls, s.handle, place)
	case int64:
		rc = lib.Xsqlite3_bind_int64(tls, s.handle, place, v)
	case int:
		rc = lib.Xsqlite3_bind_int64(tls, s.handle, place, int64(v))
	case string:
		var at uintptr
		if at, rc = putText(&s.conn.arguments, v); rc == lib.SQLITE_OK {
			rc = lib.Xsqlite3_bind_text64(tls, s.handle, place, at, uint64(len(v)), lib.SQLITE_STATIC, lib.SQLITE_UTF8)
		}
	case []byte:
		if v == nil {
			rc = lib.Xsqlite3_bind_null(tls, s.handle, place)
			break
		}
		var at uintptr
		if at, rc = putText(&s.conn.arguments, v); rc == lib.SQLITE_OK {
			rc = lib.Xsqlite3_bind_blob64(tls, s.handle, place, at, uint64(len(v)), lib.SQLITE_STATIC)
		}
	case bool:
		var n int64
		if v {
			n = 1
		}
		rc = lib.Xsqlite3_bind_int64(tls, s.handle, place, n)
	case float64:
		rc = lib.Xsqlite3_bind_double(tls, s.handle, place, v)
	default:
		return s.bindOther(place, v)
	}
	if rc != lib.SQLITE_OK {
		return s.conn.fault(rc)
	}
	return nil
}

// bindOther binds types made of others, as database/sql does.
func (s *statement) bindOther(place int32, arg any) error {
	v, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return fmt.Errorf("argument %d: %w", place, err)
	}
	switch v.(type) {
	case nil, int64, string, []byte, bool, float64:
		return s.bindArg(place, v)
	}
	return fmt.Errorf("argument %d is a %T, which has no form in the database", place, arg)
}

// cursor are the rows of a statement.
type cursor struct {
	statement *statement
	columns   int
	open      bool
	err       error
}

// Next implements [sqlstore.Rows].
func (r *cursor) Next() bool {
	if !r.open {
		return false
	}
	s := r.statement
	switch rc := lib.Xsqlite3_step(s.conn.tls, s.handle); rc {
	case lib.SQLITE_ROW:
		return true
	case lib.SQLITE_DONE:
	default:
		r.err = s.conn.fault(rc)
	}
	_ = r.Close() // it has nothing to report
	return false
}

// Err implements [sqlstore.Rows].
func (r *cursor) Err() error { return r.err }

// Close implements [sqlstore.Rows].
func (r *cursor) Close() error {
	if r.open {
		r.open = false
		_ = r.statement.reset(nil) // it has nothing to report
	}
	return nil
}

// Scan implements [sqlstore.Rows]. A destination is a [sql.Scanner], or one of the pointers
// that the statements use: only those to pointers and to any take NULL.
func (r *cursor) Scan(dest ...any) error {
	if !r.open {
		return errClosed
	}
	if len(dest) != r.columns {
		return fmt.Errorf("%d destinations for %d columns", len(dest), r.columns)
	}
	for i, into := range dest {
		if err := r.column(int32(i), into); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func (r *cursor) column(place int32, into any) error {
	value := r.value(place)
	switch to := into.(type) {
	case sql.Scanner:
		return to.Scan(value)
	case *int64:
		if n, ok := value.(int64); ok {
			*to = n
			return nil
		}
	case *int:
		if n, ok := value.(int64); ok {
			*to = int(n)
			return nil
		}
	case *string:
		if text, ok := value.(string); ok {
			*to = text
			return nil
		}
	case **string:
		text, ok := value.(string)
		*to = nil
		if ok {
			*to = &text
		}
		if ok || value == nil {
			return nil
		}
	case *any:
		*to = value
		return nil
	}
	return fmt.Errorf("a %T cannot be stored in a %T", value, into)
}

// value returns a column as a number, a text, bytes or nil. It is a copy.
func (r *cursor) value(place int32) any {
	tls, handle := r.statement.conn.tls, r.statement.handle
	switch lib.Xsqlite3_column_type(tls, handle, place) {
	case lib.SQLITE_INTEGER:
		return lib.Xsqlite3_column_int64(tls, handle, place)
	case lib.SQLITE_FLOAT:
		return lib.Xsqlite3_column_double(tls, handle, place)
	case lib.SQLITE_TEXT:
		at := lib.Xsqlite3_column_text(tls, handle, place)
		return string(bytesAt(at, int(lib.Xsqlite3_column_bytes(tls, handle, place))))
	case lib.SQLITE_BLOB:
		at := lib.Xsqlite3_column_blob(tls, handle, place)
		return append([]byte{}, bytesAt(at, int(lib.Xsqlite3_column_bytes(tls, handle, place)))...)
	}
	return nil
}
