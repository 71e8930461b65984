package postgres

import (
	"bytes"
	"math"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// TestArrays: an array is written as pgx's own codec writes it.
func TestArrays(t *testing.T) {
	t.Parallel()
	number := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64}))
	same := func(t rapid.TB, oid uint32, value any) {
		t.Helper()
		want, err := pgtype.NewMap().Encode(oid, pgtype.BinaryFormatCode, value, []byte("before"))
		if err != nil {
			t.Fatal(err)
		}
		got, null, err := appendArgument([]byte("before"), oid, value)
		if !bytes.Equal(got, want) || null || err != nil {
			t.Fatalf("%T %v as %d: %x, %t, %v; pgx writes %x", value, value, oid, got, null, err, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		same(rt, pgtype.Int8ArrayOID, rapid.SliceOf(number).Draw(rt, "numbers"))
		same(rt, pgtype.Int8ArrayOID, rapid.SliceOf(rapid.Ptr(number, true)).Draw(rt, "some numbers"))
		same(rt, pgtype.TextArrayOID, rapid.SliceOf(rapid.String()).Draw(rt, "texts"))
		same(rt, pgtype.TextArrayOID, rapid.SliceOf(rapid.Ptr(rapid.String(), true)).Draw(rt, "some texts"))
	})
	for oid, value := range map[uint32]any{
		pgtype.TextArrayOID: []int64{1}, pgtype.Int8ArrayOID: []string{"1"}, pgtype.Int4ArrayOID: []int64{1}, pgtype.Int8OID: []int64{1},
	} {
		if got, _, err := appendArgument(nil, oid, value); !job.Is(err, job.Internal) {
			t.Errorf("%T as %d: %x, %v", value, oid, got, err)
		}
	}
}

// BenchmarkArrays writes the arguments of a statement for 64 rows: three numbers and a text.
func BenchmarkArrays(b *testing.B) {
	numbers, texts := make([]int64, 64), make([]string, 64)
	for i := range numbers {
		numbers[i], texts[i] = int64(i)<<32, "http://127.0.0.1:25000"
	}
	var q queue
	b.ReportAllocs()
	for b.Loop() {
		for range 3 {
			if err := q.put(pgtype.Int8ArrayOID, numbers); err != nil {
				b.Fatal(err)
			}
		}
		if err := q.put(pgtype.TextArrayOID, texts); err != nil {
			b.Fatal(err)
		}
		q.clear()
	}
}
