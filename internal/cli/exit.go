package cli

import (
	"context"
	"errors"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// The exit codes, beside those of [output.ExitCode].
const (
	exitOK    = output.ExitOK
	exitUsage = output.ExitUsage
)

// errShown ends a command with an error that it has shown already.
var errShown = errors.New("shown already")

// errRunBad ends a command that waited for a run, a backfill or a workflow which
// did not end well, and that has shown it already.
var errRunBad = errors.New("what was waited for did not end well")

// errChanges ends a command that has shown a plan which would change something, when
// its exit code is to tell.
var errChanges = errors.New("there are changes")

// settingsError says why a server or an executor does not start with its settings,
// before it has listened anywhere.
type settingsError struct{ cause error }

// Error returns the cause.
func (e settingsError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e settingsError) Unwrap() error { return e.cause }

// beforeStart marks an error of a start that is about the settings.
func beforeStart(err error) error {
	if job.Is(err, job.Invalid) {
		return settingsError{err}
	}
	return err
}

// exitCode returns the exit code for an error that is not about the command line.
func exitCode(err error) int {
	switch {
	case errors.Is(err, errRunBad):
		return output.ExitRunBad
	case errors.Is(err, errChanges):
		return output.ExitChanges
	}
	if _, unfit := errors.AsType[settingsError](err); unfit && !errors.Is(err, context.Canceled) {
		return exitUsage
	}
	return output.ExitCode(err)
}
