package terminal

import (
	"fmt"
	"io"
	"strings"
)

// barWidth is how many cells the bar itself takes.
const barWidth = 30

// Bar shows how far long work is: drawn over the same line again and again on a
// terminal, and not at all elsewhere. One goroutine uses it.
type Bar struct {
	out  io.Writer
	on   bool
	wide int // cells of a line, 0 when not known
}

// NewBar returns a bar on out.
func NewBar(out io.Writer) *Bar { return &Bar{out: out, on: Is(out), wide: Columns(out)} }

// NewDrawnBar returns a bar that is drawn whatever out is.
func NewDrawnBar(out io.Writer) *Bar { return &Bar{out: out, on: true} }

// Drawn reports whether the bar is seen: where it is not, the caller may tell in
// lines how far the work is.
func (b *Bar) Drawn() bool { return b.on }

// Show draws that done of total are done, with a text behind it.
func (b *Bar) Show(done, total int, text string) {
	if !b.on {
		return
	}
	full := min(max(done, 0)*barWidth/max(total, 1), barWidth)
	line := "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "] " + text
	if b.wide > 1 {
		line = Cut(line, b.wide-1)
	}
	b.draw(line)
}

// Clear takes the bar away, so that other lines can be written.
func (b *Bar) Clear() { b.draw("") }

func (b *Bar) draw(line string) {
	if b.on {
		_, _ = fmt.Fprint(b.out, "\r\x1b[K"+line) // Nobody is left to tell when this fails.
	}
}
