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

// Output formats.
const (
	Table = "table"
	Wide  = "wide"
	JSON  = "json"
	YAML  = "yaml"
	Name  = "name"
)

// Printer prints results in one format. The zero value prints nowhere.
type Printer struct {
	// Out receives the results.
	Out io.Writer
	// Getenv reads the environment, which may disable colors.
	Getenv func(name string) string
	// Format is one of the formats above; any other value is a table.
	Format string
	// Columns selects columns of a table, in this order. The default is all columns that
	// fit the screen.
	Columns []string
	// NoHeads omits the headers of tables, NoColour all colors.
	NoHeads, NoColour bool
	// Painting overrides the painter of Out; the zero value lets Out decide.
	Painting terminal.Painter
	// Spaces prefixes printed names with the namespace: the objects belong to several.
	Spaces bool
	// Cells is the width of the screen; 0 uses the width of Out.
	Cells int
}

// ForPrograms reports whether the format is JSON, YAML or names.
func (p *Printer) ForPrograms() bool {
	return p.Format == JSON || p.Format == YAML || p.Format == Name
}

// Show prints a result: value for programs, and the output of table for people.
func (p *Printer) Show(value any, table func() error) error {
	if p.ForPrograms() {
		return p.Encode(value)
	}
	return table()
}

// Encode prints a value in the format: indented JSON, YAML with the same names in the same
// order, or one name per line.
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

// Table prints rows with a header. Columns after a "|" in the header are shown only with
// [Wide] or Columns. Columns whose names end with "?" are shown on a narrow screen only if
// the last column fits. An unknown column is a [*ColumnError].
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

// Sheet prints names with their values, one per line. It omits pairs without a value,
// indents further lines of a value, and replaces tabs, which would start columns, by
// spaces.
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
			if isStateColumn(pair[0]) {
				line = paint.Paint(line, ColourOf(line))
			}
			out.WriteString(terminal.Pad(name, width) + "  " + line + "\n")
		}
	}
	_, err := p.Out.Write([]byte(out.String()))
	return err
}

// Painter returns the painter of colored words.
func (p *Printer) Painter() terminal.Painter {
	switch {
	case p.NoColour:
		return terminal.Painter{}
	case p.Painting.On():
		return p.Painting
	}
	return terminal.NewPainter(p.Out, p.Getenv)
}

// Screen returns the width of the screen, 0 when Out is not a terminal.
func (p *Printer) Screen() int {
	if p.Cells > 0 {
		return p.Cells
	}
	return terminal.Columns(p.Out)
}

// MaxCell is the maximum number of characters of a table cell without [Wide].
const MaxCell = 60

// OneLine formats a text for a cell: one line of limited length, "-" when empty. Times and
// ids are not cut.
func OneLine(text string) string { return oneLine(text, MaxCell) }

// oneLine is [OneLine] with a limit in characters.
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

// Printable replaces characters that would move the cursor, color the terminal or hide
// text: names and messages are untrusted.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
