package runlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, c Config) (*Logs, string) {
	t.Helper()
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	dir := filepath.Join(t.TempDir(), "logs")
	l, err := Open(dir, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeLog(t, l) })
	return l, dir
}

func create(t *testing.T, l *Logs, attempt int64) Log {
	t.Helper()
	w, err := l.Create(attempt, noon)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeLog(t, w) })
	return w
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if n, err := io.WriteString(w, text); n != len(text) || err != nil {
		t.Fatalf("wrote %d of %d bytes: %v", n, len(text), err)
	}
}

func closeLog(tb testing.TB, w io.Closer) {
	tb.Helper()
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

func read(t *testing.T, l *Logs, attempt int64, from int) job.LogPage {
	t.Helper()
	page, err := l.Read(attempt, noon, from)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// all reads a log as a viewer does, page by page.
func all(t *testing.T, l *Logs, attempt int64) (text string, pages int) {
	t.Helper()
	for from := 1; ; pages++ {
		page := read(t, l, attempt, from)
		if page.To == 0 {
			return text, pages
		}
		if n := strings.Count(page.Text, "\n"); page.To != from+n-1 || !strings.HasSuffix(page.Text, "\n") {
			t.Fatalf("from %d: to %d with %d lines", from, page.To, n)
		}
		text += page.Text
		from = page.To + 1
	}
}

func TestReadPages(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{})
	w := create(t, l, 7)
	write(t, w, "one\ntwo\nthree\nfour\n")
	check := func() {
		for _, want := range []job.LogPage{
			{From: 1, To: 4, Text: "one\ntwo\nthree\nfour\n"},
			{From: 0, To: 4, Text: "one\ntwo\nthree\nfour\n"},
			{From: -5, To: 4, Text: "one\ntwo\nthree\nfour\n"},
			{From: 3, To: 4, Text: "three\nfour\n"},
			{From: 4, To: 4, Text: "four\n"},
			{From: 5},
			{From: 50},
		} {
			if diff := cmp.Diff(want, read(t, l, 7, want.From)); diff != "" {
				t.Errorf("from %d: %s", want.From, diff)
			}
		}
	}
	check()
	closeLog(t, w)
	check()
}

func TestReadMissing(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{})
	closeLog(t, create(t, l, 1))
	for _, attempt := range []int64{2, 0, -1} {
		want := job.LogPage{From: 3, Text: "readLog fail, logFile not exists", End: true}
		if diff := cmp.Diff(want, read(t, l, attempt, 3)); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff(job.LogPage{From: 1}, read(t, l, 1, 1)); diff != "" {
		t.Errorf("an empty log: %s", diff)
	}
}

// TestReadLastLine: a line in the making is not returned by halves, and one that no writer
// will end is returned.
func TestReadLastLine(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{})
	w := create(t, l, 1)
	write(t, w, "whole\nhal")
	if diff := cmp.Diff(job.LogPage{From: 1, To: 1, Text: "whole\n"}, read(t, l, 1, 1)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(job.LogPage{From: 2}, read(t, l, 1, 2)); diff != "" {
		t.Error(diff)
	}
	write(t, w, "f\nend")
	if diff := cmp.Diff(job.LogPage{From: 2, To: 2, Text: "half\n"}, read(t, l, 1, 2)); diff != "" {
		t.Error(diff)
	}
	closeLog(t, w)
	if diff := cmp.Diff(job.LogPage{From: 2, To: 3, Text: "half\nend\n"}, read(t, l, 1, 2)); diff != "" {
		t.Error(diff)
	}
}

func TestReadMendsText(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{})
	w := create(t, l, 1)
	write(t, w, "bad \xff\xfe byte\r\n\x00nul\n世界\nlast\n")
	want := job.LogPage{From: 1, To: 4, Text: "bad \uFFFD byte\n\x00nul\n世界\nlast\n"}
	if diff := cmp.Diff(want, read(t, l, 1, 1)); diff != "" {
		t.Error(diff)
	}
}

// TestReadRoundedTime: a server that rounds to seconds asks for the next day.
func TestReadRoundedTime(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{Zone: time.FixedZone("", 3600), Small: -1})
	at := time.Date(2026, 11, 21, 22, 59, 59, 500e6, time.UTC)
	w, err := l.Create(9, at)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, "x\n")
	if _, err := os.Stat(filepath.Join(dir, "2026-11-21", "9.log")); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		at  time.Time
		end bool
	}{
		{at, false},
		{at.Add(500 * time.Millisecond), false},
		{at.Add(2 * time.Second), true},
		{at.Add(-24 * time.Hour), true},
	} {
		page, err := l.Read(9, test.at, 1)
		if err != nil || page.End != test.end {
			t.Errorf("at %v: %+v, %v", test.at, page, err)
		}
	}
	closeLog(t, w)
}

func TestWriteSplitsLines(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{MaxLine: 16})
	for i, test := range []struct {
		writes []string
		want   string
	}{
		{[]string{"0123456789abcdef\n"}, "0123456789abcdef\n"},
		{[]string{"0123456789abcdef", "\n"}, "0123456789abcdef\n"},
		{[]string{"0123456789abcdefg\n"}, "0123456789abcdef… [split]\ng\n"},
		{[]string{"0123456789", "abcdefgh", "i\nj\n"}, "0123456789abcdef… [split]\nghi\nj\n"},
		{[]string{"short\n0123456789abcdefg\nshort\n"}, "short\n0123456789abcdef… [split]\ng\nshort\n"},
		{[]string{"0123456789abcd世界\n"}, "0123456789abcd世… [split]\n界\n"},
		{[]string{"0123456789abcde\xe4", "\xb8", "\x96x\n"}, "0123456789abcde世… [split]\nx\n"},
		{[]string{strings.Repeat("\x80", 60) + "\n"}, "\uFFFD… [split]\n\uFFFD… [split]\n\uFFFD\n"},
	} {
		w := create(t, l, int64(i+1))
		for _, text := range test.writes {
			write(t, w, text)
		}
		if got := read(t, l, int64(i+1), 1).Text; got != test.want {
			t.Errorf("%q became %q, want %q", test.writes, got, test.want)
		}
	}
}

func TestWriteStopsAtLimit(t *testing.T) {
	t.Parallel()
	const full = "----------- the log is full at 1024 bytes, what follows is not kept -----------\n"
	limits := Config{MaxFile: 1024, MaxLine: 700}
	for name, test := range map[string]struct {
		writes []string
		want   string
	}{
		"whole lines stay":  {[]string{strings.Repeat("012345678\n", 200)}, strings.Repeat("012345678\n", 102) + full},
		"half a line":       {[]string{"a\n" + strings.Repeat("b", 600) + "\n" + strings.Repeat("c", 300), strings.Repeat("d", 300)}, "a\n" + strings.Repeat("b", 600) + "\n" + strings.Repeat("c", 300) + "\n" + full},
		"nothing follows":   {[]string{strings.Repeat("a\n", 512), "b\n", "c\n"}, strings.Repeat("a\n", 512) + full},
		"exactly full":      {[]string{strings.Repeat("a\n", 512)}, strings.Repeat("a\n", 512)},
		"no room for split": {[]string{strings.Repeat("x\n", 162) + strings.Repeat("y", 701)}, strings.Repeat("x\n", 162) + strings.Repeat("y", 700) + "\n" + full},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, _ := open(t, limits)
			const attempt = 1
			w := create(t, l, attempt)
			for _, text := range test.writes {
				write(t, w, text)
			}
			closeLog(t, w)
			if got, _ := all(t, l, attempt); got != test.want {
				t.Errorf("got %q\nwant %q", got, test.want)
			}
		})
	}
	l, _ := open(t, limits)
	w := create(t, l, 5)
	write(t, w, strings.Repeat("a\n", 512)+"b\n")
	closeLog(t, w)
	w = create(t, l, 5)
	write(t, w, "more\n")
	closeLog(t, w)
	if got, _ := all(t, l, 5); got != strings.Repeat("a\n", 512)+full {
		t.Errorf("a full log that is opened again: %q", got)
	}
}

// TestWriteTellsLoss: lines that the disk did not accept are reported when it works again,
// and what waits in memory is not lost.
func TestWriteTellsLoss(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{Small: -1})
	l.sweeper.stop()
	c := create(t, l, 1)
	write(t, c, "before\nhalf")
	w := c.(*writer)
	healthy := w.file
	broken, err := os.Open(filepath.Join(dir, "2026-11-21", "1.log")) // not for writing
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	w.file = broken
	if got := read(t, l, 1, 1); got.Text != "" {
		t.Errorf("read %q that is not in the file", got.Text)
	}
	large := strings.Repeat("x", fileBuffer)
	for range 2 {
		if n, err := io.WriteString(w, large); n != 0 || err == nil {
			t.Errorf("wrote %d bytes, %v", n, err)
		}
	}
	w.file = healthy
	write(t, w, "after\n")
	got, _ := all(t, l, 1)
	if !strings.HasPrefix(got, "before\nhalf\n----------- 65536 bytes are missing here: ") || strings.Count(got, "65536") != 2 || !strings.HasSuffix(got, " -----------\nafter\n") {
		t.Errorf("log %q", got)
	}
}

func TestCreateAgain(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{})
	w := create(t, l, 1)
	if _, err := l.Create(1, noon); !job.Is(err, job.Conflict) {
		t.Errorf("a second writer: %v", err)
	}
	write(t, w, "one\ntw") // and the process dies
	if err := w.(*writer).settle(); err != nil {
		t.Fatal(err)
	}
	l.release(w.(*writer).path)
	w = create(t, l, 1)
	write(t, w, "three\n")
	closeLog(t, w)
	closeLog(t, w)
	if _, err := io.WriteString(w, "x"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("write after close: %v", err)
	}
	if got, _ := all(t, l, 1); got != "one\ntw\nthree\n" {
		t.Errorf("log %q", got)
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{})
	if _, err := l.Create(0, noon); !job.Is(err, job.Invalid) {
		t.Errorf("attempt 0: %v", err)
	}
}

// TestStaysInside: a link out of the folder is not followed.
func TestStaysInside(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	l, dir := open(t, Config{Days: 1})
	outside := t.TempDir()
	secret := filepath.Join(outside, "1.log")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "2026-11-21")); err != nil {
		t.Fatal(err)
	}
	if page, err := l.Read(1, noon, 1); err == nil || page.Text != "" {
		t.Errorf("read %+v through a link", page)
	}
	if _, err := l.Create(1, noon); err == nil {
		t.Error("wrote through a link")
	}
	if _, err := l.Prune(noon.AddDate(1, 0, 0)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(secret); err != nil {
		t.Errorf("pruned through a link: %v", err)
	}
}

func TestParallelWriters(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{})
	w := create(t, l, 1)
	var g sync.WaitGroup
	for i := range 8 {
		g.Go(func() {
			for k := range 500 {
				_, _ = fmt.Fprintf(w, "%d:%d %s\n", i, k, strings.Repeat("x", 50))
			}
		})
	}
	for range 2 {
		g.Go(func() {
			for from := 1; from <= 4000; {
				page, err := l.Read(1, noon, from)
				if err != nil {
					t.Error(err)
					return
				}
				if page.To > 0 {
					from = page.To + 1
				}
			}
		})
	}
	g.Wait()
	closeLog(t, w)
	next := make([]int, 8)
	text, _ := all(t, l, 1)
	for line := range strings.Lines(text) {
		var i, k int
		if _, err := fmt.Sscanf(line, "%d:%d ", &i, &k); err != nil || next[i] != k || len(line) < 50 {
			t.Fatalf("line %q, want number %d: %v", line, next[i], err)
		}
		next[i]++
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []Config{{Days: -1}, {MaxTotal: -1}, {Small: maxText + 1}, {SpillAfter: -1}, {MaxFile: 1}, {MaxLine: 1}, {MaxPage: 1}} {
		if _, err := Open(t.TempDir(), c); !job.Is(err, job.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	got, err := Config{}.withDefaults()
	want := Config{
		Zone: time.Local, Small: 4 << 10, SpillAfter: 200 * time.Millisecond,
		MaxFile: 256 << 20, MaxLine: 64 << 10, MaxPage: 512 << 10,
	}
	got.Changed(1) // it has no receiver
	got.Changed = nil
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *time.Location) bool { return a == b })); err != nil || diff != "" {
		t.Errorf("defaults (-want +got):\n%s%v", diff, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file, Config{}); err == nil {
		t.Error("a file was taken for a folder")
	}
}
