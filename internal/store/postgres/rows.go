package postgres

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/orthd/orth/job"
)

// rows are all rows of a query.
type rows struct {
	fields []pgconn.FieldDescription
	cells  [][]byte // of all rows, one after another; nil is NULL
	bytes  []byte   // where the last ones of them lie
	row    [][]byte // what Next has come to
	next   int
}

// add copies the values of a row.
func (r *rows) add(values [][]byte) {
	for _, value := range values {
		if value == nil {
			r.cells = append(r.cells, nil)
			continue
		}
		if cap(r.bytes)-len(r.bytes) < len(value) || r.bytes == nil {
			r.bytes = make([]byte, 0, max(len(value), 2*cap(r.bytes), 256)) // those before it stay where they are
		}
		from := len(r.bytes)
		r.bytes = append(r.bytes, value...)
		r.cells = append(r.cells, r.bytes[from:len(r.bytes):len(r.bytes)])
	}
}

// Next implements [sqlstore.Rows].
func (r *rows) Next() bool {
	width := len(r.fields)
	if width == 0 || r.next+width > len(r.cells) {
		r.row = nil
		return false
	}
	r.row = r.cells[r.next : r.next+width]
	r.next += width
	return true
}

// Err implements [sqlstore.Rows]. All rows are there.
func (r *rows) Err() error { return nil }

// Close implements [sqlstore.Rows].
func (r *rows) Close() error {
	r.cells, r.row, r.next = nil, nil, 0
	return nil
}

// Scan implements [sqlstore.Rows]. A destination is a [sql.Scanner], or one of the pointers
// that the statements use: only those to pointers and to any take NULL.
func (r *rows) Scan(dest ...any) error {
	if len(dest) != len(r.row) {
		return job.Errorf(job.Internal, "%d destinations for %d columns", len(dest), len(r.row))
	}
	for i, into := range dest {
		if err := r.column(i, into); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func (r *rows) column(i int, into any) error {
	value, err := valueOf(r.fields[i].DataTypeOID, r.row[i])
	if err != nil {
		return err
	}
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
	return job.Errorf(job.Internal, "a %T cannot be stored in a %T", value, into)
}

// valueOf returns a value as a number, a truth value, a text, bytes or nil. It is a copy.
func valueOf(oid uint32, raw []byte) (any, error) {
	if raw == nil {
		return nil, nil //nolint:nilnil // It is NULL.
	}
	switch oid {
	case pgtype.Int8OID:
		if len(raw) == 8 {
			return int64(binary.BigEndian.Uint64(raw)), nil
		}
	case pgtype.Int4OID:
		if len(raw) == 4 {
			return int64(int32(binary.BigEndian.Uint32(raw))), nil
		}
	case pgtype.Int2OID:
		if len(raw) == 2 {
			return int64(int16(binary.BigEndian.Uint16(raw))), nil
		}
	case pgtype.Float8OID:
		if len(raw) == 8 {
			return math.Float64frombits(binary.BigEndian.Uint64(raw)), nil
		}
	case pgtype.Float4OID:
		if len(raw) == 4 {
			return float64(math.Float32frombits(binary.BigEndian.Uint32(raw))), nil
		}
	case pgtype.BoolOID:
		if len(raw) == 1 {
			return raw[0] != 0, nil
		}
	case pgtype.ByteaOID:
		return append([]byte{}, raw...), nil
	default:
		return string(raw), nil
	}
	return nil, job.Errorf(job.Internal, "a value of the type %d has %d bytes", oid, len(raw))
}
