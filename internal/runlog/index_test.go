package runlog

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// long writes a log of numbered lines, more than one mark long.
func long(t *testing.T, w io.Writer, lines int) string {
	t.Helper()
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d %s\n", i+1, strings.Repeat("-", i%90))
	}
	write(t, w, b.String())
	return b.String()
}

func TestReadLongLog(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{MaxPage: 1000})
	w := create(t, l, 1)
	text := long(t, w, 20_000)
	lines := strings.SplitAfter(text, "\n")
	check := func(t *testing.T, when string) {
		t.Helper()
		for _, from := range []int{1, 2, 1500, 9999, 19_990, 20_000} {
			page := read(t, l, 1, from)
			if page.To < from || len(page.Text) > 1000 || page.Text != strings.Join(lines[from-1:page.To], "") {
				t.Errorf("%s, from %d: to %d, %.40q", when, from, page.To, page.Text)
			}
		}
		if page := read(t, l, 1, 20_001); page.To != 0 || page.Text != "" || page.End {
			t.Errorf("%s, past the end: %+v", when, page)
		}
	}
	check(t, "while it is written")
	closeLog(t, w)
	check(t, "with its index file")

	sidecar := filepath.Join(dir, "2026-11-21", "1.idx")
	whole, err := os.ReadFile(sidecar)
	if err != nil {
		t.Fatal(err)
	}
	for when, content := range map[string][]byte{
		"with half an index": whole[:len(whole)/2],
		"with a wrong index": bytes.Repeat([]byte{7}, 100),
		"with an old index":  (&index{size: 5}).encode(),
	} {
		if err := os.WriteFile(sidecar, content, 0o600); err != nil {
			t.Fatal(err)
		}
		check(t, when)
		if got, err := os.ReadFile(sidecar); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("%s: the index was not made anew: %v", when, err)
		}
	}
	if err := os.Remove(sidecar); err != nil {
		t.Fatal(err)
	}
	check(t, "without an index")

	w = create(t, l, 1)
	write(t, w, "more\n")
	if page := read(t, l, 1, 20_001); page.Text != "more\n" {
		t.Errorf("after more was appended: %+v", page)
	}
}

// counting counts how much of a file was read.
type counting struct {
	io.ReaderAt
	bytes int64
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.bytes += int64(n)
	return n, err
}

// TestSkipIsShort: finding a line does not read the log from the top.
func TestSkipIsShort(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{})
	w := create(t, l, 1)
	text := long(t, w, 50_000)
	file, err := os.Open(filepath.Join(dir, "2026-11-21", "1.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, line := range []int{1, 40_000, 50_000, 60_000} {
		c := &counting{ReaderAt: file}
		src, err := w.(*writer).source()
		if err != nil {
			t.Fatal(err)
		}
		v, err := l.viewFrom(src, line)
		src.close()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := skipLines(c, v, int64(line-1)-v.start.lines); err != nil {
			t.Fatal(err)
		}
		if c.bytes > 2*stride {
			t.Errorf("line %d: %d of %d bytes were read", line, c.bytes, len(text))
		}
	}
}

func TestReadForeignLongLine(t *testing.T) {
	t.Parallel()
	l, dir := open(t, Config{MaxPage: 256})
	day := filepath.Join(dir, "2026-11-21")
	if err := os.Mkdir(day, 0o700); err != nil {
		t.Fatal(err)
	}
	content := "first\n" + strings.Repeat("世", 300) + "\nlast"
	if err := os.WriteFile(filepath.Join(day, "1.log"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	got, pages := all(t, l, 1)
	want := "first\n" + strings.Repeat("世", 82) + "… [cut]\nlast\n"
	if got != want || pages != 3 {
		t.Errorf("%d pages: %q\nwant %q", pages, got, want)
	}
}

// TestReadGrownText: invalid bytes take more room in the answer than in the log.
func TestReadGrownText(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{MaxPage: 256})
	w := create(t, l, 1)
	line := strings.Repeat("a\xff", 50) + "\n"
	write(t, w, strings.Repeat(line, 5))
	got, pages := all(t, l, 1)
	if got != strings.Repeat(strings.Repeat("a\uFFFD", 50)+"\n", 5) || pages != 5 {
		t.Errorf("%d pages: %q", pages, got)
	}
}

// TestLogKeepsText: whatever is written in whatever pieces comes back by lines.
func TestLogKeepsText(t *testing.T) {
	t.Parallel()
	l, _ := open(t, Config{MaxPage: 300})
	attempt := int64(0)
	rapid.Check(t, func(rt *rapid.T) {
		attempt++
		pieces := rapid.SliceOfN(rapid.StringMatching(`([a-zäß世]{0,40}\n?){0,4}`), 0, 30).Draw(rt, "pieces")
		closeAfter := rapid.IntRange(0, len(pieces)).Draw(rt, "close after")
		w := create(t, l, attempt)
		for i, piece := range pieces {
			if i == closeAfter && strings.HasSuffix(strings.Join(pieces[:i], ""), "\n") {
				closeLog(t, w)
				w = create(t, l, attempt)
			}
			write(t, w, piece)
		}
		text := strings.Join(pieces, "")
		if got, _ := all(t, l, attempt); got != text[:strings.LastIndexByte(text, '\n')+1] {
			rt.Fatalf("while written: %q\nwant %q", got, text)
		}
		closeLog(t, w)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if got, _ := all(t, l, attempt); got != text {
			rt.Fatalf("closed: %q\nwant %q", got, text)
		}
	})
}

func TestIndexEncoding(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var x index
		for range rapid.IntRange(0, 5).Draw(rt, "pieces") {
			width := rapid.IntRange(1, 3*stride).Draw(rt, "width")
			x.addBytes(append(bytes.Repeat([]byte("x"), width), '\n', 'y'))
		}
		got, ok := decodeIndex(x.encode())
		if !ok {
			rt.Fatal("its own encoding is refused")
		}
		if diff := cmp.Diff(fmt.Sprint(x), fmt.Sprint(got)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func FuzzDecodeIndex(f *testing.F) {
	f.Add([]byte{})
	f.Add((&index{}).encode())
	f.Add((&index{size: 1 << 20, lines: 9, end: 1 << 19, marks: []mark{{3, 70000}, {5, 140000}}}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		x, ok := decodeIndex(b)
		if !ok {
			return
		}
		again, ok := decodeIndex(x.encode())
		if !ok || fmt.Sprint(again) != fmt.Sprint(x) {
			t.Errorf("%v became %v", x, again)
		}
		if m := x.seekLine(1 << 30); m.offset > x.end || m.lines > x.lines {
			t.Errorf("mark %v beyond the end of %v", m, x)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("one\ntwo"), 1)
	f.Add([]byte("\xff\r\n\n\r"), 2)
	f.Add(bytes.Repeat([]byte("\x80"), 600), 1)
	f.Fuzz(func(t *testing.T, content []byte, from int) {
		l, dir := open(t, Config{MaxPage: minPage})
		day := filepath.Join(dir, "2026-11-21")
		if err := os.Mkdir(day, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(day, "1.log"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		if page := read(t, l, 1, from); page.From != from || page.End || len(page.Text) > minPage+1 {
			t.Errorf("from %d: %+v", from, page)
		}
		lines := bytes.Count(content, []byte("\n"))
		if n := len(content); n > 0 && content[n-1] != '\n' {
			lines++
		}
		text, _ := all(t, l, 1)
		if got := strings.Count(text, "\n"); got != lines {
			t.Errorf("%d lines, want %d", got, lines)
		}
	})
}
