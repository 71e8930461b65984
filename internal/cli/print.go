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

// listName is the name of list commands.
const listName = "list"

// printer returns a printer configured by the flags.
func (t *tool) printer() *output.Printer {
	return &output.Printer{
		Out: t.Stdout, Getenv: t.Getenv, Format: t.output.value, Columns: t.columns, NoHeads: t.noHeaders, NoColour: t.noColour,
		Painting: t.painting, Cells: t.Screen, Spaces: t.everywhere,
	}
}

// show prints a result: value, the API type, for programs, and the output of table for
// people.
func (t *tool) show(value any, table func() error) error { return t.printer().Show(value, table) }

// forPrograms reports whether the output format is JSON, YAML or names.
func (t *tool) forPrograms() bool {
	return t.output.value != output.Table && t.output.value != output.Wide
}

// encode prints a value in the selected format.
func (t *tool) encode(value any) error { return t.printer().Encode(value) }

// printNote prints a message that is not part of the result.
func (t *tool) printNote(format string, args ...any) {
	_, _ = fmt.Fprintf(t.Stderr, format+"\n", args...) // a failed write to standard error cannot be reported
}

// table prints rows like [output.Printer.Table]. An unknown column is a usage error.
func (t *tool) table(head string, rows [][]string) error {
	err := t.printer().Table(head, rows)
	if unknown, ok := errors.AsType[*output.ColumnError](err); ok {
		return output.Usagef("%v", unknown)
	}
	return err
}

// sheet prints names with their values, one per line.
func (t *tool) sheet(pairs [][2]string) error { return t.printer().Sheet(pairs) }

// painter returns the painter of colored words.
func (t *tool) painter() terminal.Painter { return t.printer().Painter() }

// time formats an instant in the user's zone, "" for zero.
func (t *tool) time(at api.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.Location).Format("2006-01-02 15:04:05 MST")
}

// took formats an elapsed time in milliseconds.
func took(from, to api.Time) string {
	return to.Sub(from.Time).Round(time.Millisecond).String()
}

// shortTime formats a duration without the zero units of [time.Duration].
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
