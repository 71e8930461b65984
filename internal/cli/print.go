package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/terminal"
)

// listName is the name of the commands that list things.
const listName = "list"

// The ways to print results.
const (
	outTable = "table"
	outWide  = "wide"
	outJSON  = "json"
	outYAML  = "yaml"
	outName  = "name"
)

// show prints a result: value, which is the API's own type, for programs, and what
// table prints for people.
func (t *tool) show(value any, table func() error) error {
	if t.forPrograms() {
		return t.encode(value)
	}
	return table()
}

// forPrograms reports whether results are to be printed as JSON, as YAML or as names.
func (t *tool) forPrograms() bool { return t.output.value != outTable && t.output.value != outWide }

// encode prints a value as the user wants it: as indented JSON, as YAML with the same
// names in the same order, or the name of each thing on a line.
func (t *tool) encode(value any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return err
	}
	var err error
	switch t.output.value {
	case outYAML:
		err = asYAML(t.Stdout, text.Bytes())
	case outName:
		err = asNames(t.Stdout, text.Bytes())
	default:
		_, err = t.Stdout.Write(text.Bytes())
	}
	return err
}

// tell tells the user something that is not a result.
func (t *tool) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(t.Stderr, format+"\n", args...) // Nobody is left to tell when this fails.
}

// table prints rows under a head, in columns. The columns behind a "|" in the head
// are only shown when they are asked for: with -o wide, or by --columns.
func (t *tool) table(head string, rows [][]string) error {
	l := listing{cells: rows}
	usual, more, _ := strings.Cut(head, " |")
	l.head = append(strings.Fields(usual), strings.Fields(more)...)
	shown := len(strings.Fields(usual))
	if t.output.value == outWide {
		shown = len(l.head)
	}
	if err := l.choose(t.columns, shown); err != nil {
		return err
	}
	l.noHead, l.whole, l.painter = t.noHeaders, t.output.value == outWide, t.painter()
	if !l.whole {
		l.screen = t.screen()
	}
	return l.print(t.Stdout)
}

// sheet prints names with their values, one under the other. Pairs without a
// value are left out; the further lines of a value are indented, and tabs, which
// would be columns, become blanks.
func (t *tool) sheet(pairs [][2]string) error {
	width, paint := 0, t.painter()
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
			line = printable(strings.ReplaceAll(line, "\t", "    "))
			if tellsState(pair[0]) {
				line = paint.Paint(line, colourOf(line))
			}
			out.WriteString(terminal.Pad(name, width) + "  " + line + "\n")
		}
	}
	_, err := t.Stdout.Write([]byte(out.String()))
	return err
}

// painter returns what colours words, where they are to be coloured.
func (t *tool) painter() terminal.Painter {
	switch {
	case t.noColour:
		return terminal.Painter{}
	case t.painting.On():
		return t.painting
	}
	return terminal.NewPainter(t.Stdout, t.Getenv)
}

// screen returns how wide the screen is, 0 when results go elsewhere.
func (t *tool) screen() int {
	if t.cells > 0 {
		return t.cells
	}
	return terminal.Columns(t.Stdout)
}

// maxCell is the most characters in a cell of a table that is not wide.
const maxCell = 60

// oneLine makes a text fit for a cell: one line, not too long, "-" when empty.
func oneLine(text string) string {
	if text == "" {
		return "-"
	}
	runes := []rune(printable(text))
	if len(runes) > maxCell {
		return string(runes[:maxCell-1]) + "…"
	}
	return string(runes)
}

// printable replaces what would move the cursor, colour the terminal or hide
// text: names and messages may come from anyone.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}

// time shows an instant in the user's zone, "" for none.
func (t *tool) time(at api.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.Location).Format("2006-01-02 15:04:05 MST")
}

// took returns how long something took, to the millisecond.
func took(from, to api.Time) string {
	return to.Sub(from.Time).Round(time.Millisecond).String()
}

// shortTime returns a duration without the zero units that a [time.Duration]
// prints.
func shortTime(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
