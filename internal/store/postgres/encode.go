package postgres

import (
	"database/sql/driver"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/orthd/orth/job"
)

// formatOf returns the format in which values of a type are sent: texts of types that
// statements do not use.
func formatOf(oid uint32) int16 {
	switch oid {
	case pgtype.BoolOID, pgtype.ByteaOID, pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.Float4OID, pgtype.Float8OID,
		pgtype.TextOID, pgtype.VarcharOID, pgtype.NameOID, pgtype.Int8ArrayOID, pgtype.TextArrayOID:
		return pgtype.BinaryFormatCode
	}
	return pgtype.TextFormatCode
}

// appendArgument appends an argument in the format of a type, and reports whether it is NULL.
func appendArgument(b []byte, oid uint32, arg any) (out []byte, null bool, err error) {
	switch v := arg.(type) {
	case nil:
		return b, true, nil
	case int64:
		out, err = appendWhole(b, oid, v)
	case int:
		out, err = appendWhole(b, oid, int64(v))
	case string:
		out, err = appendLetters(b, oid, v)
	case []byte:
		if v == nil {
			return b, true, nil
		}
		out, err = appendLetters(b, oid, v)
	case bool:
		out, err = appendTruth(b, oid, v)
	case float64:
		out, err = appendFraction(b, oid, v)
	case []int64, []*int64, []string, []*string:
		out, err = appendArray(b, oid, v)
	default:
		given, failed := driver.DefaultParameterConverter.ConvertValue(arg)
		if failed != nil {
			return nil, false, failed
		}
		switch given.(type) {
		case nil, int64, string, []byte, bool, float64:
			return appendArgument(b, oid, given)
		}
		err = noForm(oid, arg)
	}
	return out, false, err
}

func noForm(oid uint32, arg any) error {
	return job.Errorf(job.Internal, "a %T has no form as a value of the type %d", arg, oid)
}

func appendWhole(b []byte, oid uint32, n int64) ([]byte, error) {
	switch oid {
	case pgtype.Int8OID:
		return binary.BigEndian.AppendUint64(b, uint64(n)), nil
	case pgtype.Int4OID:
		if n == int64(int32(n)) {
			return binary.BigEndian.AppendUint32(b, uint32(n)), nil
		}
	case pgtype.Int2OID:
		if n == int64(int16(n)) {
			return binary.BigEndian.AppendUint16(b, uint16(n)), nil
		}
	case pgtype.Float8OID:
		return appendFraction(b, oid, float64(n))
	case pgtype.BoolOID, pgtype.ByteaOID, pgtype.Float4OID, pgtype.Int8ArrayOID, pgtype.TextArrayOID:
	default:
		return strconv.AppendInt(b, n, 10), nil
	}
	return nil, job.Errorf(job.Internal, "the number %d has no form as a value of the type %d", n, oid)
}

// appendLetters appends a text, or bytes.
func appendLetters[T string | []byte](b []byte, oid uint32, text T) ([]byte, error) {
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.BoolOID, pgtype.Float4OID, pgtype.Float8OID, pgtype.Int8ArrayOID, pgtype.TextArrayOID:
		return nil, noForm(oid, text)
	}
	if len(text) > math.MaxInt32 {
		return nil, job.Errorf(job.Internal, "a text of %d bytes is too long", len(text))
	}
	return append(b, text...), nil
}

func appendTruth(b []byte, oid uint32, truth bool) ([]byte, error) {
	n := int64(0)
	if truth {
		n = 1
	}
	if oid == pgtype.BoolOID {
		return append(b, byte(n)), nil
	}
	return appendWhole(b, oid, n)
}

func appendFraction(b []byte, oid uint32, x float64) ([]byte, error) {
	switch {
	case oid == pgtype.Float8OID:
		return binary.BigEndian.AppendUint64(b, math.Float64bits(x)), nil
	case formatOf(oid) == pgtype.TextFormatCode:
		return strconv.AppendFloat(b, x, 'g', -1, 64), nil
	}
	return nil, noForm(oid, x)
}

// appendArray appends an array of one dimension.
func appendArray(b []byte, oid uint32, value any) ([]byte, error) {
	numbers, texts := oid == pgtype.Int8ArrayOID, oid == pgtype.TextArrayOID
	switch all := value.(type) {
	case []int64:
		if numbers {
			return appendAll(b, pgtype.Int8OID, all, appendNumber), nil
		}
	case []*int64:
		if numbers {
			return appendSome(b, pgtype.Int8OID, all, appendNumber), nil
		}
	case []string:
		if texts {
			return appendAll(b, pgtype.TextOID, all, appendText), nil
		}
	case []*string:
		if texts {
			return appendSome(b, pgtype.TextOID, all, appendText), nil
		}
	}
	return nil, noForm(oid, value)
}
