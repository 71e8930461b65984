package errorline

import (
	"bytes"
	"io"

	"github.com/orthd/orth/internal/logformat"
)

// Limits of the kept output.
const (
	keptLines = 64
	keptBytes = 2 << 10 // per line
)

// Tail forwards output and keeps its last lines. Use it from one goroutine.
type Tail struct {
	to   io.Writer
	mask func(string) string

	lines []keptLine // a ring buffer once it has keptLines
	next  int        // next position in the ring
	inner []byte     // last indented line

	open     []byte // current incomplete line
	returned bool   // it ended with a carriage return: following text replaces it
}

// keptLine is a line that is not blank.
type keptLine struct {
	text []byte
	// traced reports that frames of a stack trace followed the line, and named that the
	// line is the message of PowerShell's last error.
	traced, named bool
}

// NewTail returns a Tail that writes to an output. mask redacts secrets in whole lines and
// must keep the number of lines; nil redacts nothing.
func NewTail(to io.Writer, mask func(string) string) *Tail {
	if mask == nil {
		mask = func(text string) string { return text }
	}
	return &Tail{to: to, mask: mask}
}

// Write forwards p and returns the result of the output.
func (t *Tail) Write(p []byte) (int, error) {
	t.keepLine(p)
	return t.to.Write(p)
}

func (t *Tail) keepLine(p []byte) {
	for len(p) > 0 {
		text, rest, ended := bytes.Cut(p, []byte{'\n'})
		t.extend(text)
		if ended {
			t.endLine()
		}
		p = rest
	}
}

// extend appends text to the current line up to its limit. Text after a carriage return
// replaces the text before it.
func (t *Tail) extend(text []byte) {
	if len(text) == 0 {
		return
	}
	shown := bytes.TrimRight(text, "\r")
	if t.returned && len(shown) > 0 || bytes.IndexByte(shown, '\r') >= 0 {
		t.open, t.returned = t.open[:0], false
		shown = shown[bytes.LastIndexByte(shown, '\r')+1:]
	}
	t.open = append(t.open, shown[:min(len(shown), keptBytes-len(t.open))]...)
	t.returned = t.returned || text[len(text)-1] == '\r'
}

// endLine stores the current line.
func (t *Tail) endLine() {
	text := t.open
	t.open, t.returned = t.open[:0], false
	if bytes.IndexByte(text, '\x1b') >= 0 {
		text = []byte(logformat.StripANSI(string(text)))
	}
	text = bytes.TrimRight(text, " \t")
	switch {
	case len(text) == 0:
	case text[0] == ' ' || text[0] == '\t':
		t.addIndented(text)
	default:
		t.appendLine(text)
	}
}

// addIndented stores a line that belongs to the line above it.
func (t *Tail) addIndented(text []byte) {
	inside := bytes.TrimLeft(text, " \t")
	if last := t.newestLine(); last != nil && isFrame(inside) {
		last.traced = true
	}
	if message := t.powerShell(inside); message != nil {
		t.appendLine(message)
		t.newestLine().named = true
		return
	}
	t.inner = append(t.inner[:0], inside...)
}

// isFrame reports whether an indented line is a stack frame below its error, as in Java,
// JavaScript, .NET and Ruby.
func isFrame(text []byte) bool {
	return bytes.HasPrefix(text, []byte("at ")) || bytes.HasPrefix(text, []byte("from "))
}

// powerShell returns the message that PowerShell prints after a bar, below the source of
// an error; nil for any other line.
func (t *Tail) powerShell(text []byte) []byte {
	if last := t.newestLine(); last == nil || string(last.text) != "Line |" {
		return nil
	}
	message, barred := bytes.CutPrefix(text, []byte("| "))
	if message = bytes.TrimLeft(message, " ~"); !barred || len(message) == 0 {
		return nil
	}
	return message
}

// appendLine appends a line and evicts the oldest if necessary.
func (t *Tail) appendLine(text []byte) {
	if len(t.lines) < keptLines {
		t.lines = append(t.lines, keptLine{text: bytes.Clone(text)})
		return
	}
	line := &t.lines[t.next]
	*line = keptLine{text: append(line.text[:0], text...)}
	t.next = (t.next + 1) % keptLines
}

// newestLine returns the newest line, nil when there is none.
func (t *Tail) newestLine() *keptLine {
	if len(t.lines) == 0 {
		return nil
	}
	return &t.lines[(t.next+len(t.lines)-1)%len(t.lines)]
}

// ordered returns the lines, oldest first.
func (t *Tail) ordered() []keptLine {
	return append(t.lines[t.next:len(t.lines):len(t.lines)], t.lines[:t.next]...)
}
