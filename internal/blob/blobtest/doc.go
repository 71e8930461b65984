// Package blobtest is the suite that every store of blobs passes.
//
// It knows what logbook.Blobs promises and nothing of how a store keeps it. It must
// never know one store: what differs is asked for in [Suite]. An opener comes in;
// failures of a test go out.
package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// Suite describes the store under test.
type Suite struct {
	// Open returns an empty store. What it opened is closed with the test.
	Open func(t *testing.T) logbook.Blobs
	// Large is the bytes of the largest blob that is tried. Defaults to 9 MiB
	// and 3 bytes, more than a part of anything.
	Large int
	// Skew bounds the difference between this clock and the store's. Defaults
	// to 10 s.
	Skew time.Duration
}

// Run tests the store; each test opens its own.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	if s.Large == 0 {
		s.Large = 9<<20 + 3
	}
	if s.Skew == 0 {
		s.Skew = 10 * time.Second
	}
	for name, test := range map[string]func(*bench){
		"a blob comes back":               comesBack,
		"ranges":                          ranges,
		"beyond the end":                  beyond,
		"no blob":                         missing,
		"an empty blob":                   empty,
		"a large blob":                    large,
		"the same again":                  again,
		"a name is not given twice":       taken,
		"the caller's data":               callers,
		"delete":                          removed,
		"delete and put":                  replaced,
		"list":                            listed,
		"a list that is left":             left,
		"names that leave the place":      outside,
		"names that begin alike":          alike,
		"many at once":                    many,
		"one name at once":                race,
		"readers while blobs come and go": churn,
		"a caller who has left":           cancelled,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(&bench{T: t, Blobs: s.Open(t), suite: s})
		})
	}
}

// bench is a store with what tests do all the time.
type bench struct {
	*testing.T
	logbook.Blobs
	suite Suite
}

// Data returns bytes that compress badly and are the same for the same seed.
func Data(seed, size int) []byte {
	data := make([]byte, 0, size+sha256.Size)
	var block [16]byte
	for i := uint64(0); len(data) < size; i++ {
		binary.LittleEndian.PutUint64(block[:8], uint64(seed))
		binary.LittleEndian.PutUint64(block[8:], i)
		sum := sha256.Sum256(block[:])
		data = append(data, sum[:]...)
	}
	return data[:size]
}

func (b *bench) put(name string, data []byte) {
	b.Helper()
	if err := b.Put(b.Context(), name, data); err != nil {
		b.Fatalf("put %s: %v", name, err)
	}
}

// holds checks a range of a blob.
func (b *bench) holds(name string, offset int64, want []byte) {
	b.Helper()
	got, err := b.Get(b.Context(), name, offset, int64(len(want)))
	if err != nil {
		b.Errorf("get %d bytes of %s from %d on: %v", len(want), name, offset, err)
		return
	}
	if !bytes.Equal(got, want) {
		b.Errorf("%d bytes of %s from %d on are not those that were put", len(want), name, offset)
	}
}

func (b *bench) remove(names ...string) {
	b.Helper()
	if err := b.Delete(b.Context(), names); err != nil {
		b.Fatalf("delete %q: %v", names, err)
	}
}

// kind checks that err is of the kind.
func (b *bench) kind(what string, err error, want job.Kind) {
	b.Helper()
	if got := job.KindOf(err); got != want {
		b.Errorf("%s: error %v of kind %q, want %q", what, err, got, want)
	}
}

// absent checks that there is no such blob.
func (b *bench) absent(name string) {
	b.Helper()
	_, err := b.Get(b.Context(), name, 0, 1)
	b.kind("get "+name, err, job.NotFound)
}

// names returns what is listed, in order.
func (b *bench) names() []string {
	b.Helper()
	var names []string
	err := b.List(b.Context(), func(name string, _ int64, _ time.Time) bool {
		names = append(names, name)
		return true
	})
	if err != nil {
		b.Fatalf("list: %v", err)
	}
	slices.Sort(names)
	return names
}

func (b *bench) lists(want ...string) {
	b.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, b.names()); diff != "" {
		b.Errorf("the list differs (-want +got):\n%s", diff)
	}
}

// cancelled: a call with an ended context begins nothing.
func cancelled(b *bench) {
	data := Data(1, 1000)
	b.put("2026/kept", data)
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	left := func(what string, err error) {
		b.Helper()
		if !errors.Is(err, context.Canceled) {
			b.Errorf("%s returns %v, want context.Canceled", what, err)
		}
	}
	left("Put", b.Put(ctx, "2026/new", data))
	_, err := b.Get(ctx, "2026/kept", 0, 1)
	left("Get", err)
	left("Delete", b.Delete(ctx, []string{"2026/kept"}))
	left("List", b.List(ctx, func(string, int64, time.Time) bool { return true }))
	b.lists("2026/kept")
	b.holds("2026/kept", 0, data)
}

// outside: a name is a path below the store's own place, or it is refused.
func outside(b *bench) {
	for _, name := range []string{
		"", ".", "..", "../x", "a/../../x", "a/../x", "/x", "a//x", "a/", "./a", "a/./x", "a\x00b", `a\b`, `..\x`,
		"ö", "a b", "a\nb", strings.Repeat("x", 300),
	} {
		b.kind("put "+name, b.Put(b.Context(), name, []byte("x")), job.Invalid)
		_, err := b.Get(b.Context(), name, 0, 1)
		b.kind("get "+name, err, job.Invalid)
		b.kind("delete "+name, b.Delete(b.Context(), []string{name}), job.Invalid)
	}
	b.lists()
}
