package kit

import (
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
)

// ListName is the name of list commands.
const ListName = "list"

// Printer returns a printer configured by the flags.
func (t *Tool) Printer() *output.Printer {
	return &output.Printer{
		Out: t.Stdout, Getenv: t.Getenv, Format: t.Output.Value, Columns: t.columns, NoHeads: t.noHeaders, NoColour: t.noColour,
		Painting: t.painting, Cells: t.Screen, Spaces: t.Everywhere,
	}
}

// Show prints a result: value, the API type, for programs, and the output of table for
// people.
func (t *Tool) Show(value any, table func() error) error { return t.Printer().Show(value, table) }

// ForPrograms reports whether the output format is JSON, YAML or names.
func (t *Tool) ForPrograms() bool {
	return t.Output.Value != output.Table && t.Output.Value != output.Wide
}

// Encode prints a value in the selected format.
func (t *Tool) Encode(value any) error { return t.Printer().Encode(value) }

// PrintNote prints a message that is not part of the result.
func (t *Tool) PrintNote(format string, args ...any) {
	_, _ = fmt.Fprintf(t.Stderr, format+"\n", args...) // a failed write to standard error cannot be reported
}

// PrintTable prints rows like [output.Printer.Table]. An unknown column is a usage error.
func (t *Tool) PrintTable(head string, rows [][]string) error {
	err := t.Printer().Table(head, rows)
	if unknown, ok := errors.AsType[*output.ColumnError](err); ok {
		return output.Usagef("%v", unknown)
	}
	return err
}

// PrintSheet prints names with their values, one per line.
func (t *Tool) PrintSheet(pairs [][2]string) error { return t.Printer().Sheet(pairs) }

// Painter returns the painter of colored words.
func (t *Tool) Painter() terminal.Painter { return t.Printer().Painter() }

// FormatTime formats an instant in the user's zone, "" for zero.
func (t *Tool) FormatTime(at api.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.Location).Format("2006-01-02 15:04:05 MST")
}

// FormatElapsed formats an elapsed time in milliseconds.
func FormatElapsed(from, to api.Time) string {
	return to.Sub(from.Time).Round(time.Millisecond).String()
}
