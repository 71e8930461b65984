package postgres

import (
	"bytes"
	"math"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"
)

// TestArrays: an array is written as the driver's own codec writes it.
func TestArrays(t *testing.T) {
	t.Parallel()
	number := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64}))
	same := func(t rapid.TB, oid uint32, value any) {
		t.Helper()
		driver, own := pgtype.NewMap(), pgtype.NewMap() // new ones, for it matters to the driver what they wrote before
		quickArrays(own)
		for _, format := range []int16{pgtype.TextFormatCode, pgtype.BinaryFormatCode} {
			want, wantErr := driver.Encode(oid, format, value, []byte("before"))
			got, err := own.Encode(oid, format, value, []byte("before"))
			if !bytes.Equal(got, want) || (got == nil) != (want == nil) || (err == nil) != (wantErr == nil) {
				t.Fatalf("%T %v as %d: %x, %v; the driver writes %x, %v", value, value, oid, got, err, want, wantErr)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		numbers := rapid.SliceOf(number).Draw(rt, "numbers")
		texts := rapid.SliceOf(rapid.String()).Draw(rt, "texts")
		some := rapid.SliceOf(rapid.Ptr(number, true)).Draw(rt, "some numbers")
		words := rapid.SliceOf(rapid.Ptr(rapid.String(), true)).Draw(rt, "some texts")
		for _, value := range []any{numbers, some, texts, words} {
			same(rt, pgtype.Int8ArrayOID, value)
			same(rt, pgtype.TextArrayOID, value)
		}
		same(rt, pgtype.Int4ArrayOID, numbers)
	})
	for _, value := range []any{[]int64(nil), []*int64(nil), []string(nil), []*string(nil), [][]int64{{1, 2}, {3, 4}}, nil} {
		same(t, pgtype.Int8ArrayOID, value)
		same(t, pgtype.TextArrayOID, value)
	}
}

// TestArraysAreRead: what was written is read, as before.
func TestArraysAreRead(t *testing.T) {
	t.Parallel()
	types := pgtype.NewMap()
	quickArrays(types)
	body, err := types.Encode(pgtype.TextArrayOID, pgtype.BinaryFormatCode, []string{"a", ""}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := types.Scan(pgtype.TextArrayOID, pgtype.BinaryFormatCode, body, &got); err != nil || len(got) != 2 || got[0] != "a" || got[1] != "" {
		t.Errorf("read as %q, %v", got, err)
	}
}

// BenchmarkArrays writes the arguments of a statement for 64 rows: three numbers and a text.
func BenchmarkArrays(b *testing.B) {
	numbers, texts := make([]int64, 64), make([]string, 64)
	for i := range numbers {
		numbers[i], texts[i] = int64(i)<<32, "http://127.0.0.1:25000"
	}
	for _, name := range []string{"driver", "own"} {
		b.Run(name, func(b *testing.B) {
			types := pgtype.NewMap()
			if name == "own" {
				quickArrays(types)
			}
			b.ReportAllocs()
			for b.Loop() {
				buf := make([]byte, 0, 256)
				for range 3 {
					buf, _ = types.Encode(pgtype.Int8ArrayOID, pgtype.BinaryFormatCode, numbers, buf)
				}
				if _, err := types.Encode(pgtype.TextArrayOID, pgtype.BinaryFormatCode, texts, buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
