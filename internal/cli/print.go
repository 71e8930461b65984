package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
)

// listName is the name of the commands that list things.
const listName = "list"

// The ways to print results.
const (
	outTable = output.Table
	outWide  = output.Wide
	outJSON  = output.JSON
	outYAML  = output.YAML
	outName  = output.Name
)

// printer returns what prints results as the flags say.
func (t *tool) printer() *output.Printer {
	return &output.Printer{
		Out: t.Stdout, Getenv: t.Getenv, Format: t.output.value, Columns: t.columns, NoHeads: t.noHeaders, NoColour: t.noColour,
		Painting: t.painting, Cells: t.Screen, Spaces: t.everywhere,
	}
}

// show prints a result: value, which is the API's own type, for programs, and what
// table prints for people.
func (t *tool) show(value any, table func() error) error { return t.printer().Show(value, table) }

// forPrograms reports whether results are to be printed as JSON, as YAML or as names.
func (t *tool) forPrograms() bool { return t.output.value != outTable && t.output.value != outWide }

// encode prints a value as the user wants it.
func (t *tool) encode(value any) error { return t.printer().Encode(value) }

// tell tells the user something that is not a result.
func (t *tool) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(t.Stderr, format+"\n", args...) // Nobody is left to tell when this fails.
}

// table prints rows under a head, as [output.Printer.Table] does. A column that there
// is not is a mistake in the command line.
func (t *tool) table(head string, rows [][]string) error {
	err := t.printer().Table(head, rows)
	if unknown, ok := errors.AsType[*output.ColumnError](err); ok {
		return usagef("%v", unknown)
	}
	return err
}

// sheet prints names with their values, one under the other.
func (t *tool) sheet(pairs [][2]string) error { return t.printer().Sheet(pairs) }

// painter returns what colours words, where they are to be coloured.
func (t *tool) painter() terminal.Painter { return t.printer().Painter() }

// maxCell is the most characters in a cell of a table that is not wide.
const maxCell = output.MaxCell

func oneLine(text string) string { return output.OneLine(text) }

func printable(text string) string { return output.Printable(text) }

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
