package output

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/job"
)

// UsageError is a mistake in the command line that a command found itself. Its text names the flag or the argument.
type UsageError struct{ Text string }

// Error returns the text.
func (e UsageError) Error() string { return e.Text }

// Usagef returns a [UsageError].
func Usagef(format string, args ...any) error { return UsageError{fmt.Sprintf(format, args...)} }

// Parent returns a command that only holds others: by itself it prints its help.
func Parent(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(subs...)
	return cmd
}

// Before has a command and all below it do something before their own code runs: errors from before that are about the command
// line. first is given the command that runs; its error keeps the command's code from running.
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

// Explain returns what went wrong and what to do, "" when nothing is known. flag is how a user of the command line writes a
// field, "" for what is no single flag.
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

// TellUsage tells a mistake in the command line of at, and where its help is.
func TellUsage(out io.Writer, at *cobra.Command, err error) {
	_, _ = fmt.Fprintf(out, "%s: %v\n      see '%s --help'\n", at.Root().Name(), err, at.CommandPath()) // Nobody is left to tell when this fails.
}

// TellFailure tells what went wrong with a program, and what to do, unless that is "".
func TellFailure(out io.Writer, program, message, hint string) {
	if hint != "" {
		message += "\n      " + hint
	}
	_, _ = fmt.Fprintf(out, "%s: %s\n", program, message) // As above.
}
