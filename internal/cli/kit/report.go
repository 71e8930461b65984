package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// report prints the error and returns the exit code. at is the command that ran.
func (t *Tool) report(at *cobra.Command, err error) int {
	if err == nil {
		return output.ExitOK
	}
	if errors.Is(err, ErrShown) || errors.Is(err, ErrRunFailed) || errors.Is(err, ErrChanges) {
		return exitCode(err)
	}
	if _, ok := errors.AsType[output.UsageError](err); ok || !t.started {
		output.PrintUsageError(t.Stderr, at, err)
		return output.ExitUsage
	}
	message, hint := ExplainError(err)
	output.PrintFailure(t.Stderr, "orth", asArgument(at, message), hint)
	return exitCode(err)
}

// asArgument rewrites a message about a field that is an argument of the command.
func asArgument(at *cobra.Command, message string) string {
	name, rest, flag := strings.Cut(strings.TrimPrefix(message, "--"), ": ")
	argument := strings.ToUpper(name)
	if !flag || !strings.HasPrefix(message, "--") || at.Flags().Lookup(name) != nil || !slices.Contains(argumentsOf(at.Use), argument) {
		return message
	}
	return argument + ": " + rest
}

// ExplainError returns the message and the hint of an error, in terms of flags.
func ExplainError(err error) (message, hint string) {
	message, hint = output.Explain(err, timing.FlagOf)
	// Only errors of this process have a cause: errors of a server have none.
	known, ok := errors.AsType[*job.Error](err)
	if ok && !errors.Is(err, context.Canceled) && known.Kind == job.Unreachable && hint == "" && errors.Unwrap(known) != nil {
		hint = "start one with 'orth dev' or 'orth server', or set another with --server"
	}
	return message, hint
}

// WrapError adds the file or object that an error is about: the message of a known error
// replaces the errors that wrap it. Errors about flags stay unchanged.
func WrapError(what string, err error) error {
	known, ok := errors.AsType[*job.Error](err)
	switch {
	case !ok:
		return fmt.Errorf("%s: %w", what, err)
	case known.Field != "":
		return err
	}
	described := *known
	described.Message = what + ": " + described.Message
	return &described
}
