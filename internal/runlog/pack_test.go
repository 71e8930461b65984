package runlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// packed writes small logs 1 to n, closes the folder and opens it again.
func packed(t *testing.T, n int, c Config) (*Logs, string) {
	t.Helper()
	dir := t.TempDir()
	c.Zone = time.UTC
	l, err := Open(dir, c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		w, err := l.Create(int64(i+1), noon)
		if err != nil {
			t.Fatal(err)
		}
		write(t, w, textOf(i+1))
		closeLog(t, w)
	}
	closeLog(t, l)
	return reopen(t, dir, c), dir
}

func reopen(t *testing.T, dir string, c Config) *Logs {
	t.Helper()
	c.Zone = time.UTC
	l, err := Open(dir, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeLog(t, l) })
	return l
}

func textOf(attempt int) string { return fmt.Sprintf("attempt %d begins\nand ends\n", attempt) }

func dayFiles(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "2026-11-21", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range paths {
		paths[i] = filepath.Base(paths[i])
	}
	return paths
}

func TestSmallLogsShareFile(t *testing.T) {
	t.Parallel()
	l, dir := packed(t, 500, Config{SpillAfter: time.Hour})
	if diff := cmp.Diff([]string{"1.pack"}, dayFiles(t, dir)); diff != "" {
		t.Error(diff)
	}
	for _, attempt := range []int{1, 2, 250, 499, 500} {
		if got := read(t, l, int64(attempt), 1).Text; got != textOf(attempt) {
			t.Errorf("attempt %d: %q", attempt, got)
		}
	}
	if page := read(t, l, 501, 1); !page.End {
		t.Errorf("a log out of nothing: %+v", page)
	}
	w := create(t, l, 7) // run again
	write(t, w, "again\n")
	if got := read(t, l, 7, 1).Text; got != textOf(7)+"again\n" {
		t.Errorf("while it goes on: %q", got)
	}
	closeLog(t, w)
	if got := read(t, l, 7, 1).Text; got != textOf(7)+"again\n" {
		t.Errorf("after it went on: %q", got)
	}
	closeLog(t, l)
	l = reopen(t, dir, Config{})
	if got := read(t, l, 7, 1).Text; got != textOf(7)+"again\n" {
		t.Errorf("after the restart: %q", got)
	}
}

func TestLargeLogBecomesFile(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{Small: 100, SpillAfter: time.Hour})
	w := create(t, l, 1)
	for i := range 20 {
		write(t, w, fmt.Sprintf("line number %02d\n", i))
	}
	if diff := cmp.Diff([]string{"1.log"}, dayFiles(t, dir)); diff != "" {
		t.Error(diff)
	}
	if page := read(t, l, 1, 1); page.To != 20 {
		t.Errorf("%+v", page)
	}
}

// TestFileless: no file is looked for where none can be, and each that is there is found.
func TestFileless(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{Small: 100, SpillAfter: time.Hour})
	const large = 3
	want := map[int64]string{}
	for attempt := range int64(5) {
		text := textOf(int(attempt + 1))
		if attempt+1 == large {
			text = strings.Repeat(text, 10)
		}
		w := create(t, l, attempt+1)
		write(t, w, text)
		closeLog(t, w)
		want[attempt+1] = text
	}
	for attempt, text := range want {
		if got := l.packs.fileless("2026-11-21", attempt); got != (attempt > large) {
			t.Errorf("attempt %d is said to have no file: %t", attempt, got)
		}
		if got := read(t, l, attempt, 1).Text; got != text {
			t.Errorf("attempt %d: %q", attempt, got)
		}
	}
	w := create(t, l, 5) // run again, and now it is large
	write(t, w, strings.Repeat("again\n", 50))
	closeLog(t, w)
	if l.packs.fileless("2026-11-21", 5) {
		t.Error("the file that a packed log became is not looked for")
	}
	if got := read(t, l, 5, 1).Text; got != textOf(5)+strings.Repeat("again\n", 50) {
		t.Errorf("a packed log that became a file: %q", got)
	}
	closeLog(t, l)
	l = reopen(t, dir, Config{})
	if l.packs.fileless("2026-11-21", 6) {
		t.Error("it is known what nobody has looked at")
	}
}

// TestOldLogBecomesFile: what a long run wrote is not in memory only.
func TestOldLogBecomesFile(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{SpillAfter: time.Millisecond})
	w := create(t, l, 1)
	write(t, w, "early\n")
	path := filepath.Join(dir, "2026-11-21", "1.log")
	until(t, func() bool { b, _ := os.ReadFile(path); return string(b) == "early\n" })
	write(t, w, "late\n")
	until(t, func() bool { b, _ := os.ReadFile(path); return string(b) == "early\nlate\n" })
}

// until waits for something that another goroutine writes to the disk.
func until(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 5000 {
		if done() {
			return
		}
		<-tick.C
	}
	t.Fatal("it did not happen in time")
}

// TestPackDamage: a flipped bit anywhere costs one record at most.
func TestPackDamage(t *testing.T) {
	t.Parallel()
	const n = 20
	_, dir := packed(t, n, Config{SpillAfter: time.Hour})
	path := filepath.Join(dir, "2026-11-21", "1.pack")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	foot, ok := decodeFoot(whole[len(whole)-footSize:], int64(len(whole)))
	if !ok || foot.count != n {
		t.Fatalf("foot %+v", foot)
	}
	for _, torn := range []bool{false, true} {
		b := whole
		if torn { // the process died before it was sealed, in the middle of a record
			b = append(bytes.Clone(whole[:foot.start]), whole[packHead:packHead+recordHead+3]...)
		}
		rapid.Check(t, func(rt *rapid.T) {
			bad := bytes.Clone(b)
			bad[rapid.IntRange(0, len(bad)-1).Draw(rt, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			l := reopen(t, dir, Config{})
			lost := 0
			for attempt := 1; attempt <= n; attempt++ {
				page, err := l.Read(int64(attempt), noon, 1)
				if err != nil || page.Text != textOf(attempt) {
					lost++
				}
				if err == nil && page.Text != textOf(attempt) && !page.End {
					rt.Fatalf("attempt %d: a wrong text %q", attempt, page.Text)
				}
			}
			if lost > 1 {
				rt.Fatalf("%d records are lost", lost)
			}
			closeLog(t, l)
		})
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		ids := rapid.SliceOfN(rapid.Int64Range(1, 1<<40), 1, 40).Draw(rt, "ids")
		found := map[int64]recordLocation{}
		for _, id := range ids {
			found[id] = recordLocation{attempt: id}
		}
		s := makeSpans(sorted(found))
		for _, id := range ids {
			if !s.contains(id) {
				rt.Fatalf("%v leaves out %d", s, id)
			}
		}
	})
	s := makeSpans([]recordLocation{{attempt: 1}, {attempt: 2}, {attempt: 5_000_000}, {attempt: 5_000_001}})
	if s.contains(3) || !s.contains(5_000_000) {
		t.Errorf("%v", s)
	}
}

func FuzzScanPack(f *testing.F) {
	b := appendHead(nil, beacon{1})
	b = appendRecord(b, beacon{1}, 5, 9, []byte("five\n"))
	b = appendRecord(b, beacon{1}, 6, 9, nil)
	f.Add(b)
	f.Add(appendSeal(b, beacon{1}, uint32(len(b)), []recordLocation{{5, 16, 5}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, entries := scanPack(b)
		for _, e := range entries {
			if id, text, ok := decodeRecord(b[e.offset:], s); !ok || id != e.attempt || len(text) != int(e.length) {
				t.Errorf("%+v is no record", e)
			}
		}
	})
}

// FuzzVolume: any file in the place of a pack is read without a panic.
func FuzzVolume(f *testing.F) {
	b := appendRecord(appendHead(nil, beacon{1}), beacon{1}, 5, 9, []byte("five\n"))
	f.Add(b)
	f.Add(appendSeal(b, beacon{1}, uint32(len(b)), []recordLocation{{5, 16, 5}}))
	f.Add(appendSeal(b, beacon{1}, uint32(len(b)), []recordLocation{{5, 1 << 31, 1 << 31}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, dir := open(t, Config{})
		if err := os.MkdirAll(filepath.Join(dir, "2026-11-21"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "2026-11-21", "1.pack"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if page, err := l.Read(5, noon, 1); err == nil && !page.End && page.From != 1 {
			t.Errorf("%+v", page)
		}
	})
}

func TestManyDays(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{SpillAfter: time.Hour})
	for day := range 3 * maxShelves {
		closeLog(t, logOn(t, l, int64(day+1), noon.AddDate(0, 0, -day)))
	}
	for day := range 3 * maxShelves {
		page, err := l.Read(int64(day+1), noon.AddDate(0, 0, -day), 1)
		if err != nil || page.Text != "x\n" {
			t.Errorf("day %d: %+v, %v", day, page, err)
		}
	}
	if n := len(l.packs.shelves); n > maxShelves {
		t.Errorf("%d days are kept in memory", n)
	}
}

func TestPruneTotal(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{MaxTotal: 3000, Small: -1})
	line := string(bytes.Repeat([]byte("x"), 999)) + "\n"
	for day := range 5 {
		w, err := l.Create(int64(day+1), noon.AddDate(0, 0, day-4))
		if err != nil {
			t.Fatal(err)
		}
		write(t, w, line)
		if day == 0 {
			t.Cleanup(func() { closeLog(t, w) }) // still being written: it stays
		} else {
			closeLog(t, w)
		}
	}
	until(t, func() bool { b, _ := os.ReadFile(filepath.Join(dir, "2026-11-17", "1.log")); return len(b) == 1000 })
	if _, err := l.Prune(noon); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2026-11-17", "2026-11-20", "2026-11-21"}, folders(t, l)); diff != "" {
		t.Error(diff)
	}
	closeLog(t, logOn(t, l, 9, noon))
	if _, err := l.Prune(noon); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2026-11-17", "2026-11-21"}, folders(t, l)); diff != "" {
		t.Error(diff)
	}
}

// TestPruneTotalPacks: complete packs go, the one that is appended to stays.
func TestPruneTotalPacks(t *testing.T) {
	t.Parallel()
	l, dir := packed(t, 10, Config{MaxTotal: 1})
	closeLog(t, logOn(t, l, 11, noon))
	if _, err := l.Prune(noon); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2.pack"}, dayFiles(t, dir)); diff != "" {
		t.Error(diff)
	}
	if page := read(t, l, 3, 1); !page.End {
		t.Errorf("deleted, and read: %+v", page)
	}
	if page := read(t, l, 11, 1); page.Text != "x\n" {
		t.Errorf("%+v", page)
	}
}

func TestDamageIsTold(t *testing.T) {
	t.Parallel()
	l, dir := packed(t, 3, Config{SpillAfter: time.Hour})
	path := filepath.Join(dir, "2026-11-21", "1.pack")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[packHead+recordHead] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Read(1, noon, 1); !isDamaged(err) || job.Is(err, job.NotFound) {
		t.Errorf("a damaged record: %v", err)
	}
	w := create(t, l, 1)
	write(t, w, "again\n")
	closeLog(t, w)
	if got := read(t, l, 1, 1).Text; got != "again\n" {
		t.Errorf("log %q", got)
	}
}

// TestPackSeals: a full pack is completed and the next one begun.
func TestPackSeals(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{SpillAfter: time.Hour})
	const n = packRecords + 10
	for attempt := range int64(n) {
		w, err := l.Create(attempt+1, noon)
		if err != nil {
			t.Fatal(err)
		}
		write(t, w, "x\n")
		closeLog(t, w)
	}
	if diff := cmp.Diff([]string{"1.pack", "2.pack"}, dayFiles(t, dir)); diff != "" {
		t.Error(diff)
	}
	for _, attempt := range []int64{1, 2, packRecords / 2, packRecords, packRecords + 1, n} {
		if page := read(t, l, attempt, 1); page.Text != "x\n" {
			t.Errorf("attempt %d: %+v", attempt, page)
		}
	}
	if page := read(t, l, n+1, 1); !page.End {
		t.Errorf("a log out of nothing: %+v", page)
	}
}
