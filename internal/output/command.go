package output

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/job"
)

// UsageError is an error in the command line. Its text names the flag or the argument.
type UsageError struct{ Text string }

// Error returns the text.
func (e UsageError) Error() string { return e.Text }

// Usagef returns a [UsageError].
func Usagef(format string, args ...any) error { return UsageError{fmt.Sprintf(format, args...)} }

// Parent returns a command group; without a subcommand it prints its help.
func Parent(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(subs...)
	return cmd
}

// Before runs first before the code of a command and its subcommands; earlier errors are
// usage errors. first gets the command; its error prevents the command from running.
func Before(cmd *cobra.Command, first func(cmd *cobra.Command, args []string) error) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if err := first(cmd, args); err != nil {
				return err
			}
			return run(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		Before(sub, first)
	}
}

// Explain returns the message and the hint of an error, "" for none. flag returns the flag
// of a field, "" for a field without a single flag.
func Explain(err error, flag func(field string) string) (message, hint string) {
	known, ok := errors.AsType[*job.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted", ""
	case !ok:
		return err.Error(), ""
	}
	if word := flag(known.Field); word != "" {
		return word + ": " + known.Message, known.Hint
	}
	return known.Message, known.Hint
}

// PrintUsageError prints a usage error of the command at, and how to get its help.
func PrintUsageError(out io.Writer, at *cobra.Command, err error) {
	_, _ = fmt.Fprintf(out, "%s: %v\n      see '%s --help'\n", at.Root().Name(), err, at.CommandPath()) // a failed write to standard error cannot be reported
}

// PrintFailure prints an error of a program and a hint, unless the hint is "".
func PrintFailure(out io.Writer, program, message, hint string) {
	if hint != "" {
		message += "\n      " + hint
	}
	_, _ = fmt.Fprintf(out, "%s: %s\n", program, message) // as above
}
