package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/terminal"
)

// listing is a table that is about to be printed.
type listing struct {
	head    []string
	cells   [][]string
	noHead  bool
	whole   bool // cut no cell
	screen  int  // cells of a line, 0 for no bound
	painter terminal.Painter
}

// minColumn is how narrow a column may become where the screen is too narrow.
const minColumn = 8

// ColumnError is that a column was asked for that a table does not have.
type ColumnError struct {
	Name    string
	Columns []string // those that there are
}

// Error names the column and those that there are.
func (e *ColumnError) Error() string {
	return fmt.Sprintf("--columns: there is no column %q: the columns are %s", e.Name, strings.Join(e.Columns, ","))
}

// choose keeps the columns that are named, in that order, or the first so many when
// none is. Names are written as in the head, in any case.
func (l *listing) choose(names []string, shown int) error {
	var kept []int
	for i := range shown {
		kept = append(kept, i)
	}
	if len(names) > 0 {
		kept = nil
	}
	for _, name := range names {
		at := slices.IndexFunc(l.head, func(head string) bool { return strings.EqualFold(head, name) })
		if at < 0 {
			return &ColumnError{Name: name, Columns: l.head}
		}
		kept = append(kept, at)
	}
	pick := func(row []string) []string {
		picked := make([]string, len(kept))
		for i, at := range kept {
			if at < len(row) {
				picked[i] = row[at]
			}
		}
		return picked
	}
	l.head = pick(l.head)
	for i, row := range l.cells {
		l.cells[i] = pick(row)
	}
	return nil
}

// print writes the table. Columns are as wide as their widest cell; where the screen
// is narrower, the widest ones give way.
func (l *listing) print(out io.Writer) error {
	widths := make([]int, len(l.head))
	measure := func(row []string) {
		for i, cell := range row {
			widths[i] = max(widths[i], terminal.Width(cell))
		}
	}
	if !l.noHead {
		measure(l.head)
	}
	for _, row := range l.cells {
		for i, cell := range row {
			if row[i] = OneLine(cell); l.whole && cell != "" {
				row[i] = Printable(cell)
			}
		}
		measure(row)
	}
	l.narrow(widths)
	var text strings.Builder
	if !l.noHead {
		l.line(&text, l.head, widths, func(int, string) terminal.Colour { return terminal.Bold })
	}
	for _, row := range l.cells {
		l.line(&text, row, widths, func(column int, cell string) terminal.Colour {
			if tellsState(l.head[column]) {
				return ColourOf(cell)
			}
			return terminal.Plain
		})
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// narrow makes the columns fit the screen, as far as they can. The first, which says what
// a row is about and is what commands take, gives way last.
func (l *listing) narrow(widths []int) {
	if l.screen == 0 || len(widths) == 0 {
		return
	}
	total := 2 * (len(widths) - 1)
	for _, width := range widths {
		total += width
	}
	for first := min(1, len(widths)-1); first >= 0; first-- {
		for total > l.screen {
			widest := first
			for i := first; i < len(widths); i++ {
				if widths[i] >= widths[widest] {
					widest = i
				}
			}
			if widths[widest] <= minColumn {
				break
			}
			widths[widest]--
			total--
		}
	}
}

// line writes one row; the last cell has no blanks behind it.
func (l *listing) line(text *strings.Builder, row []string, widths []int, colour func(column int, cell string) terminal.Colour) {
	for i, cell := range row {
		if l.screen > 0 {
			cell = terminal.Cut(cell, widths[i])
		}
		painted := l.painter.Paint(cell, colour(i, row[i]))
		if i < len(row)-1 {
			painted += terminal.Pad("", widths[i]-terminal.Width(cell)+2)
		}
		text.WriteString(painted)
	}
	text.WriteByte('\n')
}
