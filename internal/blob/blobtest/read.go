package blobtest

import (
	"time"

	"github.com/orthd/orth/job"
)

func comesBack(b *bench) {
	data := Data(1, 100_000)
	b.put("2026-11-21/00000000000000000001.pack", data)
	b.put("flat", []byte("x"))
	b.holds("2026-11-21/00000000000000000001.pack", 0, data)
	b.holds("flat", 0, []byte("x"))
}

func ranges(b *bench) {
	data := Data(2, 700_001)
	b.put("a/b/c", data)
	for _, r := range [][2]int{
		{0, 1},
		{0, len(data)},
		{1, 1},
		{65_535, 2}, // over the edge of what stores split at
		{262_143, 2},
		{262_144, 262_144},
		{100, 600_000},
		{len(data) - 1, 1},
		{17, 0},
		{len(data), 0},
	} {
		b.holds("a/b/c", int64(r[0]), data[r[0]:r[0]+r[1]])
	}
}

func beyond(b *bench) {
	b.put("a", Data(3, 1000))
	for _, r := range [][2]int64{
		{1000, 1},
		{999, 2},
		{0, 1001},
		{5000, 10},
		{0, 1 << 40}, // and it does not make room for that
		{1 << 62, 1 << 62},
	} {
		_, err := b.Get(b.Context(), "a", r[0], r[1])
		b.kind("get more than there is", err, job.NotFound)
	}
	for _, r := range [][2]int64{{-1, 1}, {0, -1}} {
		_, err := b.Get(b.Context(), "a", r[0], r[1])
		b.kind("get a range that cannot be", err, job.Invalid)
	}
}

func missing(b *bench) {
	b.put("a/b", []byte("x"))
	for _, name := range []string{"b", "a", "a/c", "a/b/c", "c/d/e"} {
		b.absent(name)
	}
}

func empty(b *bench) {
	b.put("nothing", nil)
	b.holds("nothing", 0, []byte{})
	b.put("nothing", nil)
	_, err := b.Get(b.Context(), "nothing", 0, 1)
	b.kind("get a byte of nothing", err, job.NotFound)
	b.lists("nothing")
}

func large(b *bench) {
	data := Data(4, b.suite.Large)
	b.put("large", data)
	b.holds("large", 0, data)
	b.holds("large", int64(len(data)-70_000), data[len(data)-70_000:])
	b.holds("large", int64(len(data)/2), data[len(data)/2:len(data)/2+1])
}

func listed(b *bench) {
	b.lists()
	want := map[string]int64{"flat": 3, "2026/11/21/b": 70_000, "2026/11/21/a": 0, "2026/11/22/c": 1}
	began := time.Now()
	for name, size := range want {
		b.put(name, Data(5, int(size)))
	}
	ended := time.Now()
	err := b.List(b.Context(), func(name string, size int64, at time.Time) bool {
		known, wanted := want[name]
		if !wanted || known != size {
			b.Errorf("%q of %d bytes is listed (%t), want %d", name, size, wanted, known)
		}
		if at.Before(began.Add(-b.suite.Skew)) || at.After(ended.Add(b.suite.Skew)) {
			b.Errorf("%q was made at %s, which is not now", name, at)
		}
		delete(want, name)
		return true
	})
	if err != nil || len(want) > 0 {
		b.Errorf("%v; not listed: %v", err, want)
	}
}

// left: more blobs than any store lists in one go, of which few are looked at.
func left(b *bench) {
	const blobs = 40
	for i := range blobs {
		b.put("x/"+string(rune('a'+i%26))+string(rune('a'+i/26)), []byte("x"))
	}
	seen := 0
	err := b.List(b.Context(), func(string, int64, time.Time) bool { seen++; return seen < 3 })
	if err != nil || seen != 3 {
		b.Errorf("%d were visited, %v; want 3", seen, err)
	}
	if n := len(b.names()); n != blobs {
		b.Errorf("%d blobs are listed, want %d", n, blobs)
	}
}

// alike: a name that begins another is a separate name.
func alike(b *bench) {
	b.put("a/pack", []byte("1"))
	b.put("a/pack-2", []byte("22"))
	b.put("a/pac", []byte("333"))
	b.put("b/other", []byte("4444"))
	b.remove("a/pack")
	b.lists("a/pack-2", "a/pac", "b/other")
	b.holds("a/pack-2", 0, []byte("22"))
	b.absent("a/pack")
}
