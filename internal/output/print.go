package output

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orthd/orth/internal/terminal"
)

// The ways to print results.
const (
	Table = "table"
	Wide  = "wide"
	JSON  = "json"
	YAML  = "yaml"
	Name  = "name"
)

// Printer prints results in one of the ways. The zero value prints nowhere.
type Printer struct {
	// Out gets the results.
	Out io.Writer
	// Getenv reads the environment, which may forbid colours.
	Getenv func(name string) string
	// Format is one of the ways above; what is none of them is a table.
	Format string
	// Columns are the only ones of a table, in this order. Defaults to all that find a
	// place on the screen.
	Columns []string
	// NoHeads leaves out the heads of tables, NoColour all colours.
	NoHeads, NoColour bool
	// Painting paints whatever Out is; the zero value leaves that to Out.
	Painting terminal.Painter
	// Spaces puts the namespace before the key of each thing where names are printed: the
	// things are of several.
	Spaces bool
	// Cells is the width of the screen; 0 asks Out.
	Cells int
}

// ForPrograms reports whether results are to be printed as JSON, as YAML or as names.
func (p *Printer) ForPrograms() bool {
	return p.Format == JSON || p.Format == YAML || p.Format == Name
}

// Show prints a result: value for programs, and what table prints for people.
func (p *Printer) Show(value any, table func() error) error {
	if p.ForPrograms() {
		return p.Encode(value)
	}
	return table()
}

// Encode prints a value as the user wants it: as indented JSON, as YAML with the same
// names in the same order, or the name of each thing on a line.
func (p *Printer) Encode(value any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return err
	}
	var err error
	switch p.Format {
	case YAML:
		err = writeYAML(p.Out, text.Bytes())
	case Name:
		err = writeNames(p.Out, text.Bytes(), p.Spaces)
	default:
		_, err = p.Out.Write(text.Bytes())
	}
	return err
}

// Table prints rows under a head, in columns. The columns behind a "|" in the head are
// only shown when they are asked for: as [Wide], or by Columns. Those whose names end
// with a "?" get a place on a narrow screen only when there is room for the last column.
// A column that there is not is a [*ColumnError].
func (p *Printer) Table(head string, rows [][]string) error {
	l := listing{cells: rows}
	usual, more, _ := strings.Cut(head, " |")
	l.head = append(strings.Fields(usual), strings.Fields(more)...)
	for i, name := range l.head {
		name, spare := strings.CutSuffix(name, "?")
		l.head[i], l.spare = name, append(l.spare, spare)
	}
	shown := len(strings.Fields(usual))
	if p.Format == Wide {
		shown = len(l.head)
	}
	if err := l.choose(p.Columns, shown); err != nil {
		return err
	}
	l.noHead, l.whole, l.asked, l.painter = p.NoHeads, p.Format == Wide, len(p.Columns) > 0, p.Painter()
	if !l.whole {
		l.screen = p.Screen()
	}
	return l.print(p.Out)
}

// Sheet prints names with their values, one under the other. Pairs without a value are
// left out; the further lines of a value are indented, and tabs, which would be columns,
// become blanks.
func (p *Printer) Sheet(pairs [][2]string) error {
	width, paint := 0, p.Painter()
	for _, pair := range pairs {
		if pair[1] != "" {
			width = max(width, terminal.Width(pair[0])+1)
		}
	}
	var out strings.Builder
	for _, pair := range pairs {
		if pair[1] == "" {
			continue
		}
		for i, line := range strings.Split(strings.TrimRight(pair[1], "\n"), "\n") {
			name := ""
			if i == 0 {
				name = pair[0] + ":"
			}
			line = Printable(strings.ReplaceAll(line, "\t", "    "))
			if tellsState(pair[0]) {
				line = paint.Paint(line, ColourOf(line))
			}
			out.WriteString(terminal.Pad(name, width) + "  " + line + "\n")
		}
	}
	_, err := p.Out.Write([]byte(out.String()))
	return err
}

// Painter returns what colours words, where they are to be coloured.
func (p *Printer) Painter() terminal.Painter {
	switch {
	case p.NoColour:
		return terminal.Painter{}
	case p.Painting.On():
		return p.Painting
	}
	return terminal.NewPainter(p.Out, p.Getenv)
}

// Screen returns how wide the screen is, 0 when results go elsewhere.
func (p *Printer) Screen() int {
	if p.Cells > 0 {
		return p.Cells
	}
	return terminal.Columns(p.Out)
}

// MaxCell is the most characters in a cell of a table that is not wide.
const MaxCell = 60

// OneLine makes a text fit for a cell: one line, not too long, "-" when empty. No time
// and no id is cut.
func OneLine(text string) string { return oneLine(text, MaxCell) }

// oneLine is [OneLine] for cells of at most limit characters.
func oneLine(text string, limit int) string {
	if text == "" {
		return "-"
	}
	text = Printable(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	shown := 0
	for i := range text {
		if shown++; shown == limit {
			return newAtoms().before(text, i)
		}
	}
	return text
}

// Printable replaces what would move the cursor, colour the terminal or hide text:
// names and messages may come from anyone.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
