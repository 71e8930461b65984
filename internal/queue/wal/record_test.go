package wal

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

func sumOf(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b, castagnoli))
}

// contents is what a layer says, with a mark before deleted keys.
func contents(l *layer) map[string]string {
	found := make(map[string]string)
	for name, tr := range l.trees {
		tr.Scan(func(e item) bool {
			value := "deleted"
			if e.value != nil {
				value = "=" + string(e.value)
			}
			found[name+"/"+string(e.key)] = value
			return true
		})
	}
	return found
}

func TestRecordsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := identity{1, 2, 3}
		want := make(map[string]string)
		var data []byte
		data = append(data, make([]byte, blockBytes)...)
		records := rapid.IntRange(0, 5).Draw(t, "records")
		first := rapid.Uint64Range(1, 1<<50).Draw(t, "first")
		for i := range records {
			var r record
			r.reset()
			for range rapid.IntRange(1, 6).Draw(t, "operations") {
				bucket := rapid.StringN(1, 5, 9).Draw(t, "bucket")
				key := rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "key")
				if rapid.Bool().Draw(t, "put") {
					value := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "value")
					r.put(bucket, key, value)
					want[bucket+"/"+string(key)] = "=" + string(value)
				} else {
					r.delete(bucket, key)
					want[bucket+"/"+string(key)] = "deleted"
				}
			}
			data = append(data, r.seal(id.seed(), 7, first+uint64(i))...)
		}
		s := scanner{data: append(data, make([]byte, 100)...), seed: id.seed(), generation: 7}
		got := s.scan()
		if len(got.records) != records || got.damaged || got.unfinished {
			t.Fatalf("read %d of %d records, %+v", len(got.records), records, got)
		}
		l := newLayer(0)
		for _, r := range got.records {
			if !replay(l, r.operations) {
				t.Fatal("a record was not understood")
			}
		}
		if found := contents(l); !maps.Equal(found, want) {
			t.Fatalf("got %q, want %q", found, want)
		}
		s.generation = 8
		if other := s.scan(); len(other.records) > 0 || other.damaged {
			t.Fatalf("records of another generation: %+v", other)
		}
	})
}

// TestValueIsNoRecord: a value that is a record of the same log, but for the
// identity that nobody knows, is not found behind damage.
func TestValueIsNoRecord(t *testing.T) {
	t.Parallel()
	var inside record
	inside.reset()
	inside.put("a", []byte("forged"), nil)
	forged := inside.seal(identity{}.seed(), 7, 2)
	var r record
	r.reset()
	r.put("a", []byte("k"), forged)
	id := identity{1}
	data := append(make([]byte, blockBytes), r.seal(id.seed(), 7, 1)...)
	data[blockBytes]++ // damage has the scanner look at every byte
	s := scanner{data: data, seed: id.seed(), generation: 7}
	if got := s.scan(); len(got.records) > 0 {
		t.Errorf("found %+v", got)
	}
}

func TestTreesSortByBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := func(name string) []byte {
			// Few different bytes, so that long beginnings are the same.
			return rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 255}), 0, 20).Draw(t, name)
		}
		a, b := key("a"), key("b")
		got := before(itemOf(&entry{key: a}), itemOf(&entry{key: b}))
		if want := bytes.Compare(a, b) < 0; got != want {
			t.Fatalf("%v before %v: %v", a, b, got)
		}
	})
}

func TestGaps(t *testing.T) {
	t.Parallel()
	g := learned(nil, gap{[]byte("b"), []byte("m")})
	g = learned(g, gap{[]byte("x"), nil})
	for from, want := range map[string]string{"a": "a", "b": "m", "c": "m", "m": "m", "n": "n", "x": "end", "z": "end"} {
		to, some := behind(g, []byte(from))
		if !some {
			to = []byte("end")
		}
		if string(to) != want {
			t.Errorf("from %s a walk begins at %s, want %s", from, to, want)
		}
	}
	after := filled(g, []byte("d"))
	if to, _ := behind(after, []byte("b")); string(to) != "d" {
		t.Errorf("a row in a gap: a walk begins at %s", to)
	}
	if to, _ := behind(g, []byte("b")); string(to) != "m" {
		t.Error("the gaps of others were changed")
	}
	for i := range 2 * maxGaps {
		g = learned(g, gap{[]byte{byte(i)}, nil})
	}
	if len(g) != maxGaps {
		t.Errorf("%d gaps", len(g))
	}
}

func FuzzScan(f *testing.F) {
	id := identity{1}
	var r record
	r.reset()
	r.put("a", []byte("key"), []byte("value"))
	r.delete("b", []byte("key"))
	whole := bytes.Clone(r.seal(id.seed(), 7, 1))
	f.Add(whole)
	f.Add(append(append(bytes.Clone(whole), 1, 2, 3), r.seal(id.seed(), 7, 2)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		data := append(make([]byte, blockBytes), b...)
		for _, lost := range []bool{false, true} {
			s := scanner{data: data, seed: id.seed(), generation: 7, any: lost}
			last := uint64(0)
			for _, r := range s.scan().records {
				if r.number <= last {
					t.Errorf("record %d behind %d", r.number, last)
				}
				last = r.number
			}
		}
		replay(newLayer(0), b) // a checksum may fit by accident
		if h, err := decodeHeader(b); err == nil && !bytes.Equal(h.encode(), b[:headerBytes]) {
			t.Errorf("header %x reads as %+v", b, h)
		}
		if m, ok := decodeMark(b); ok && !bytes.Equal(m.encode(), b) {
			t.Errorf("mark %x reads as %+v", b, m)
		}
	})
}
