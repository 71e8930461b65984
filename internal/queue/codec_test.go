package queue

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func drawItem(t *rapid.T) Item {
	ms := rapid.Int64Range(-62135596800000, 253402300799999) // years 1 to 9999
	return Item{
		Key:     rapid.Int64().Draw(t, "key"),
		Due:     instant(ms.Draw(t, "due")),
		AddedAt: instant(ms.Draw(t, "added")),
		Seq:     rapid.Uint64().Draw(t, "seq"),
		Tries:   int(rapid.Int32().Draw(t, "tries")),
		Note:    rapid.String().Draw(t, "note"),
		Body:    rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "body"),
	}
}

func TestRecordReadsBackWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawItem(t)
		got, err := decodeRecord(encodeRecord(want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
	})
}

func TestZeroTimeStaysZero(t *testing.T) {
	t.Parallel()
	got, err := decodeRecord(encodeRecord(Item{}))
	if err != nil || !got.Due.IsZero() || !got.AddedAt.IsZero() {
		t.Fatalf("got %+v, %v", got, err)
	}
}

// stored is one example of everything that is stored, with a reader that
// reports whether it was taken for whole.
func stored() map[string]struct {
	bytes []byte
	read  func([]byte) error
} {
	due := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return map[string]struct {
		bytes []byte
		read  func([]byte) error
	}{
		"record": {
			encodeRecord(Item{Key: 7, Due: due, Seq: 3, Tries: 2, Note: "note", Body: []byte("some body")}),
			func(b []byte) error { _, err := decodeRecord(b); return err },
		},
		"index row": {
			entry{place: Scheduled, number: 3, at: due.UnixMilli()}.encode(7),
			func(b []byte) error { _, err := decodeEntry(7, b); return err },
		},
		"sealed value": {
			seal("name", []byte("value")),
			func(b []byte) error { _, err := unseal("name", b); return err },
		},
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	t.Parallel()
	for name, s := range stored() {
		if err := s.read(s.bytes); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range len(s.bytes) * 8 {
			b := bytes.Clone(s.bytes)
			b[i/8] ^= 1 << (i % 8)
			if s.read(b) == nil {
				t.Errorf("%s: bit %d flipped and nobody noticed", name, i)
			}
		}
		for n := range len(s.bytes) {
			if s.read(s.bytes[:n]) == nil {
				t.Errorf("%s: cut to %d bytes and nobody noticed", name, n)
			}
		}
	}
}

func TestRowsBelongToTheirKeys(t *testing.T) {
	t.Parallel()
	if _, err := decodeEntry(8, entry{place: Dead}.encode(7)); err == nil {
		t.Error("an index row was read under another key")
	}
	if _, err := unseal("b", seal("a", nil)); err == nil {
		t.Error("a sealed value was read under another name")
	}
}

func TestHeaderReadsBackWhole(t *testing.T) {
	t.Parallel()
	want := header{
		scheduled: 1, processing: 2, dead: 3, remembered: 4, nextFinish: 5, evicted: 6, damaged: 7,
	}
	if got, err := decodeHeader(want.encode()); err != nil || got != want {
		t.Fatalf("got %+v, %v", got, err)
	}
	if _, err := decodeHeader(make([]byte, headerSize-1)); err == nil {
		t.Error("a short header was read")
	}
}

func TestKeysSortAsTheirNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		s, u := rapid.Uint64().Draw(t, "s"), rapid.Uint64().Draw(t, "u")
		want := a < b || a == b && s < u
		if got := bytes.Compare(dueKey(a, s), dueKey(b, u)) < 0; got != want {
			t.Fatalf("(%d, %d) sorts before (%d, %d): %v", a, s, b, u, got)
		}
		ms, seq, ok := parseDueKey(dueKey(a, s))
		if !ok || ms != a || seq != s {
			t.Fatalf("read back %d, %d, %v", ms, seq, ok)
		}
		if got := bytes.Compare(indexKey(a), indexKey(b)) < 0; got != (a < b) {
			t.Fatalf("%d sorts before %d: %v", a, b, got)
		}
		if n, ok := parseNumberKey(indexRow, indexKey(a)); !ok || unordered(n) != a {
			t.Fatalf("read back %d, %v", unordered(n), ok)
		}
	})
	if _, _, ok := parseDueKey(recordKey(math.MaxUint64)); ok {
		t.Error("a record's key was taken for a due mark")
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range stored() {
		f.Add(s.bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if it, err := decodeRecord(b); err == nil && !bytes.Equal(encodeRecord(it), b) {
			t.Errorf("record %x reads as %+v and is written differently", b, it)
		}
		if e, err := decodeEntry(7, b); err == nil && !bytes.Equal(e.encode(7), b) {
			t.Errorf("index row %x reads as %+v and is written differently", b, e)
		}
		if v, err := unseal("name", b); err == nil && !bytes.Equal(seal("name", v), b) {
			t.Errorf("value %x reads as %x and is written differently", b, v)
		}
		if h, err := decodeHeader(b); err == nil && !bytes.Equal(h.encode(), b) {
			t.Errorf("header %x reads as %+v and is written differently", b, h)
		}
	})
}

func TestPlacesHaveNames(t *testing.T) {
	t.Parallel()
	for p, want := range map[Place]string{
		Scheduled: "scheduled", Processing: "processing", Dead: "dead", Remembered: "finished", 9: "place 9",
	} {
		if p.String() != want {
			t.Errorf("got %q, want %q", p, want)
		}
	}
}
