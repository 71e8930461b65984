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

// ErrShown ends a command whose error is already printed.
var ErrShown = errors.New("already printed")

// ErrRunFailed ends a command that waited for a run, a backfill or a workflow that did not
// succeed; the result is already printed.
var ErrRunFailed = errors.New("the awaited run did not succeed")

// ErrChanges ends a command with --detailed-exitcode whose plan contains changes.
var ErrChanges = errors.New("there are changes")

// settingsError reports invalid settings before a server or an executor listens.
type settingsError struct{ cause error }

// Error returns the text of the cause.
func (e settingsError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e settingsError) Unwrap() error { return e.cause }

// SettingsError marks a start error that is caused by the settings.
func SettingsError(err error) error {
	if job.Is(err, job.Invalid) {
		return settingsError{err}
	}
	return err
}

// exitCode returns the exit code of an error other than a usage error.
func exitCode(err error) int {
	switch {
	case errors.Is(err, ErrRunFailed):
		return output.ExitRunBad
	case errors.Is(err, ErrChanges):
		return output.ExitChanges
	}
	if _, unfit := errors.AsType[settingsError](err); unfit && !errors.Is(err, context.Canceled) {
		return output.ExitUsage
	}
	return output.ExitCode(err)
}
