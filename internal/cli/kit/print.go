package kit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
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

// Row labels that several detail views share.
const (
	RowKey       = "Key"
	RowTitle     = "Title"
	RowNamespace = "Namespace"
	RowState     = "State"
	RowReason    = "Reason"
	RowEnded     = "Ended"
	RowCreated   = "Created"
)

// Deleted is the JSON name of the deleted object in the result of a command.
const Deleted = "deleted"

// PrintJSON prints a value as JSON unless err is set.
func (t *Tool) PrintJSON(v any, err error) error {
	if err != nil {
		return err
	}
	return t.Encode(v)
}

// PrintResult prints the result of a command: a value for programs, or a sentence.
func (t *Tool) PrintResult(v any, sentence string) error {
	if t.ForPrograms() {
		return t.Encode(v)
	}
	_, err := fmt.Fprintln(t.Stdout, sentence)
	return err
}

// SpaceList is a command that lists objects of the current namespace or of all.
type SpaceList[T any] struct {
	Short, Example string
	Every, Own     func(c *client.Client, ctx context.Context) ([]T, error)
	None           string // message for an empty list
	Heads          string
	Row            func(thing *T) (space string, cells []string)
}

// Command returns the command.
func (l SpaceList[T]) Command(t *Tool) *cobra.Command {
	var every bool
	cmd := &cobra.Command{
		Use: ListName, Aliases: []string{"ls"}, Short: l.Short, Args: cobra.NoArgs, Example: l.Example,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			list := l.Own
			if every {
				list = l.Every
			}
			found, err := list(c, cmd.Context())
			switch {
			case err != nil:
				return err
			case t.ForPrograms():
				return t.Encode(OrEmpty(found))
			case len(found) == 0:
				t.PrintNote("%s", l.None)
				return nil
			}
			rows, spaces := make([][]string, len(found)), make([]string, len(found))
			for i := range found {
				spaces[i], rows[i] = l.Row(&found[i])
			}
			return t.PrintTableIn(every, spaces, l.Heads, rows)
		},
	}
	AddEverySpaceFlag(cmd.Flags(), &every)
	return cmd
}
