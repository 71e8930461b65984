package output

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/terminal"
)

// listing is a table to print.
type listing struct {
	head    []string
	cells   [][]string
	spare   []bool // columns that are shown only if all others fit
	noHead  bool
	whole   bool // do not cut cells
	asked   bool // columns were requested explicitly: hide none
	screen  int  // screen width in cells, 0 for unlimited
	painter terminal.Painter
}

// ColumnError reports a requested column that a table does not have.
type ColumnError struct {
	Name    string
	Columns []string // available columns
}

// Error names the column and the available ones.
func (e *ColumnError) Error() string {
	return fmt.Sprintf("--columns: unknown column %q: the columns are %s", e.Name, strings.Join(e.Columns, ","))
}

// choose keeps the named columns in that order, or the first count columns without names.
// Names are case-insensitive titles.
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
	l.head, l.spare = valuesAt(l.head, kept), valuesAt(l.spare, kept)
	for i, row := range l.cells {
		l.cells[i] = valuesAt(row, kept)
	}
	return nil
}

// valuesAt returns the values at the indexes; the zero value for a missing one.
func valuesAt[T any](values []T, at []int) []T {
	picked := make([]T, len(at))
	for i, index := range at {
		if index < len(values) {
			picked[i] = values[index]
		}
	}
	return picked
}

// print writes the table. Columns are as wide as their widest cell. On a narrow screen the
// common zone of times moves to the title, texts are cut, and then columns are hidden and
// listed below the table; times, ids and the key of a row are never cut.
func (l *listing) print(out io.Writer) error {
	known := newAtoms()
	for _, row := range l.cells {
		for i, cell := range row {
			limit := MaxCell
			if i == len(row)-1 { // the last column gets the rest of the screen
				limit = max(limit, l.screen)
			}
			if row[i] = oneLine(cell, limit); l.whole && cell != "" {
				row[i] = Printable(cell)
			}
		}
	}
	titles := slices.Clone(l.head)
	widths, hidden := l.measure(titles), []string(nil)
	if l.screen > 0 && total(widths) > l.screen {
		l.shareZones(known, titles)
		widths = l.measure(titles)
		hidden = l.fitScreen(known, titles, widths)
	}
	var text strings.Builder
	if !l.noHead {
		l.writeLine(known, &text, titles, widths, func(int, string) terminal.Colour { return terminal.Bold })
	}
	for _, row := range l.cells {
		l.writeLine(known, &text, row, widths, func(column int, cell string) terminal.Colour {
			if isStateColumn(l.head[column]) {
				return ColourOf(cell)
			}
			return terminal.Plain
		})
	}
	if len(hidden) > 0 {
		text.WriteString(terminal.Cut("(-o wide shows "+strings.Join(hidden, ", ")+")", l.screen) + "\n")
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// gap is the number of cells between two columns.
const gap = 2

// total returns the width of a table; columns of width 0 are hidden.
func total(widths []int) int {
	sum := -gap
	for _, width := range widths {
		if width > 0 {
			sum += width + gap
		}
	}
	return sum
}

// measure returns the widths of the columns.
func (l *listing) measure(titles []string) []int {
	widths := make([]int, len(titles))
	for i, title := range titles {
		if !l.noHead {
			widths[i] = terminal.Width(title)
		}
		for _, row := range l.cells {
			widths[i] = max(widths[i], terminal.Width(row[i]))
		}
	}
	return widths
}

// shareZones moves the common zone of all times in a column to its title.
func (l *listing) shareZones(known *atoms, titles []string) {
	if l.noHead {
		return
	}
	for i := range titles {
		column := make([]string, len(l.cells))
		for r, row := range l.cells {
			column[r] = row[i]
		}
		zone := known.commonZone(column)
		if zone == "" {
			continue
		}
		titles[i] += " (" + zone + ")"
		for _, row := range l.cells {
			row[i] = strings.TrimSuffix(row[i], " "+zone)
		}
	}
}

// keyColumns returns the number of columns that identify a row. Commands accept their values.
func (l *listing) keyColumns() int {
	if len(l.head) > 1 && l.head[0] == "NAMESPACE" {
		return 2
	}
	return min(1, len(l.head))
}

// minLast is the minimum width of the last column, usually the reason, before spare
// columns are shown.
const minLast = 40

// fitScreen shrinks the columns to the screen: it sets hidden columns to width 0 and returns
// their titles. The widest columns shrink first.
func (l *listing) fitScreen(known *atoms, titles []string, widths []int) (hidden []string) {
	least, placed, taken := slices.Clone(widths), make([]bool, len(widths)), 0
	place := func(i int) {
		if l.asked || i < l.keyColumns() || taken+least[i] <= l.screen {
			placed[i], taken = true, taken+least[i]+gap
		}
	}
	for i := range widths {
		if i >= l.keyColumns() {
			least[i] = l.least(known, titles, i)
		}
		if l.spare[i] = l.spare[i] && i >= l.keyColumns(); !l.spare[i] {
			place(i)
		}
	}
	if last := len(widths) - 1; slices.Contains(l.spare, true) && placed[last] {
		more := min(minLast, widths[last], least[last]+max(0, l.screen+gap-taken)) - least[last]
		least[last], taken = least[last]+max(0, more), taken+max(0, more)
	}
	for i, spare := range l.spare {
		if spare {
			place(i)
		}
	}
	for i := range widths {
		if !placed[i] {
			hidden, widths[i] = append(hidden, l.head[i]), 0
		}
	}
	for total(widths) > l.screen {
		widest := -1
		for i, width := range widths {
			if width > least[i] && (widest < 0 || width >= widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return hidden
}

// least returns the minimum width of a column.
func (l *listing) least(known *atoms, titles []string, column int) int {
	least := 0
	if !l.noHead {
		least = terminal.Width(titles[column])
	}
	for _, row := range l.cells {
		least = max(least, known.least(row[column]))
	}
	return least
}

// writeLine writes one row without trailing spaces.
func (l *listing) writeLine(
	known *atoms, text *strings.Builder, row []string, widths []int, colour func(column int, cell string) terminal.Colour,
) {
	blanks := 0
	for i, cell := range row {
		if widths[i] == 0 && l.screen > 0 {
			continue
		}
		if l.screen > 0 {
			cell = known.cutCells(cell, widths[i])
		}
		text.WriteString(strings.Repeat(" ", blanks) + l.painter.Paint(cell, colour(i, row[i])))
		blanks = widths[i] - terminal.Width(cell) + gap
	}
	text.WriteByte('\n')
}
