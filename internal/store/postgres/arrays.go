package postgres

import (
	"encoding/binary"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/orthd/orth/job"
)

// arrays writes the arrays of numbers and of texts that statements for many rows take,
// as the driver's own codec does. That one boxes each element and asks how to write it.
// Everything else is left to it.
type arrays struct{ *pgtype.ArrayCodec }

// quickArrays has a connection write such arrays by the codec.
func quickArrays(types *pgtype.Map) {
	for _, oid := range []uint32{pgtype.Int8ArrayOID, pgtype.TextArrayOID} {
		known, _ := types.TypeForOID(oid)
		types.RegisterType(&pgtype.Type{Name: known.Name, OID: oid, Codec: arrays{known.Codec.(*pgtype.ArrayCodec)}})
	}
}

// PlanEncode implements [pgtype.Codec].
func (a arrays) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	fits := false
	switch value.(type) {
	case []int64, []*int64:
		fits = oid == pgtype.Int8ArrayOID
	case []string, []*string:
		fits = oid == pgtype.TextArrayOID
	}
	if fits && format == pgtype.BinaryFormatCode {
		return binaryArray{}
	}
	return a.ArrayCodec.PlanEncode(m, oid, format, value)
}

// binaryArray writes arrays of one dimension in the database's binary format.
type binaryArray struct{}

// Encode implements [pgtype.EncodePlan].
func (binaryArray) Encode(value any, b []byte) ([]byte, error) {
	switch all := value.(type) {
	case []int64:
		return appendAll(b, pgtype.Int8OID, all, appendNumber), nil
	case []*int64:
		return appendSome(b, pgtype.Int8OID, all, appendNumber), nil
	case []string:
		return appendAll(b, pgtype.TextOID, all, appendText), nil
	case []*string:
		return appendSome(b, pgtype.TextOID, all, appendText), nil
	}
	return nil, job.Errorf(job.Internal, "a %T is not an array of numbers or texts", value)
}

func appendAll[T any](b []byte, element uint32, all []T, one func([]byte, T) []byte) []byte {
	b = appendHead(b, element, len(all), 0)
	for _, value := range all {
		b = one(b, value)
	}
	return b
}

// appendSome appends those that are there, and NULL for the others.
func appendSome[T any](b []byte, element uint32, all []*T, one func([]byte, T) []byte) []byte {
	nulls := uint32(0)
	if slices.Contains(all, nil) {
		nulls = 1
	}
	b = appendHead(b, element, len(all), nulls)
	for _, value := range all {
		if value == nil {
			b = append(b, 0xff, 0xff, 0xff, 0xff)
		} else {
			b = one(b, *value)
		}
	}
	return b
}

// appendHead appends what stands before the elements: the number of dimensions, whether
// there are NULLs, the type of the elements, their number and the index of the first.
func appendHead(b []byte, element uint32, length int, nulls uint32) []byte {
	b = slices.Grow(b, 20+12*length)
	for _, n := range []uint32{1, nulls, element, uint32(length), 1} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}

func appendNumber(b []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(append(b, 0, 0, 0, 8), uint64(n))
}

func appendText(b []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(text))), text...)
}
