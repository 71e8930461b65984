package runlog

import (
	"bytes"
	"io"
	"testing"
	"time"
)

func benched(b *testing.B, c Config) *Logs {
	b.Helper()
	l, err := Open(b.TempDir(), c)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { closeLog(b, l) })
	return l
}

func begin(b *testing.B, l *Logs, attempt int64) io.WriteCloser {
	b.Helper()
	w, err := l.Create(attempt, noon)
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// BenchmarkRun is the log of a short run: two lines.
func BenchmarkRun(b *testing.B) {
	for name, small := range map[string]int{"packed": 0, "file": -1} {
		b.Run(name, func(b *testing.B) {
			l := benched(b, Config{Small: small})
			line := append(bytes.Repeat([]byte("x"), 79), '\n')
			attempt := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				attempt++
				w := begin(b, l, attempt)
				_, _ = w.Write(line)
				_, _ = w.Write(line)
				closeLog(b, w)
			}
		})
	}
}

// BenchmarkWrite is one handler that writes lines of 100 bytes.
func BenchmarkWrite(b *testing.B) {
	l := benched(b, Config{MaxFile: 1 << 40})
	w := begin(b, l, 1)
	b.Cleanup(func() { closeLog(b, w) })
	line := append(bytes.Repeat([]byte("x"), 99), '\n')
	b.SetBytes(100)
	for b.Loop() {
		if _, err := w.Write(line); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadFar reads a page at the end of a long log, open and closed.
func BenchmarkReadFar(b *testing.B) {
	lines := 10_737_418 // 1 GiB
	if testing.Short() {
		lines = 1_000_000
	}
	l := benched(b, Config{MaxFile: 2 << 30})
	w := begin(b, l, 1)
	block := bytes.Repeat(append(bytes.Repeat([]byte("x"), 99), '\n'), 1000)
	for range lines / 1000 {
		_, _ = w.Write(block)
	}
	lines -= lines % 1000
	run := func(name string) {
		b.Run(name+"/last_lines", func(b *testing.B) {
			for b.Loop() {
				if page, err := l.Read(1, noon, lines-9); err != nil || page.To != lines {
					b.Fatal(page.To, err)
				}
			}
		})
		b.Run(name+"/full_page_in_the_middle", func(b *testing.B) {
			for b.Loop() {
				if page, err := l.Read(1, noon, lines/2); err != nil || page.To < lines/2+5000 {
					b.Fatal(page.To, err)
				}
			}
		})
	}
	run("open")
	closeLog(b, w)
	run("closed")
}

// BenchmarkReadPacked reads one of 100,000 packed logs.
func BenchmarkReadPacked(b *testing.B) {
	const logs = 100_000
	l := benched(b, Config{SpillAfter: time.Hour})
	for attempt := range int64(logs) {
		w := begin(b, l, attempt+1)
		_, _ = io.WriteString(w, "a run begins and writes about as much as this\nand ends\n")
		closeLog(b, w)
	}
	attempt := int64(0)
	for b.Loop() {
		attempt = (attempt + 7919) % logs
		if page, err := l.Read(attempt+1, noon, 1); err != nil || page.To != 2 {
			b.Fatal(page, err)
		}
	}
}
