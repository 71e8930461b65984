package terminal

import (
	"fmt"
	"io"
	"strings"
)

// barWidth is the width of the bar in cells.
const barWidth = 30

// Bar shows the progress of a long operation. It redraws one line on a terminal, and
// prints nothing elsewhere. Use it from one goroutine.
type Bar struct {
	out  io.Writer
	on   bool
	wide int // cells per line, 0 if unknown
}

// NewBar returns a bar on out.
func NewBar(out io.Writer) *Bar { return &Bar{out: out, on: Is(out), wide: Columns(out)} }

// NewDrawnBar returns a bar that draws on any writer.
func NewDrawnBar(out io.Writer) *Bar { return &Bar{out: out, on: true} }

// Drawn reports whether the bar is visible; otherwise the caller may print progress
// lines.
func (b *Bar) Drawn() bool { return b.on }

// Show draws the progress done of total, followed by a text.
func (b *Bar) Show(done, total int, text string) {
	if !b.on {
		return
	}
	full := min(max(done, 0)*barWidth/max(total, 1), barWidth)
	line := "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "] " + text
	if b.wide > 1 {
		line = Cut(line, b.wide-1)
	}
	b.drawLine(line)
}

// Clear removes the bar, so that other lines can be written.
func (b *Bar) Clear() { b.drawLine("") }

func (b *Bar) drawLine(line string) {
	if b.on {
		_, _ = fmt.Fprint(b.out, "\r\x1b[K"+line) // a failed write to the terminal cannot be reported
	}
}
