package cli

import (
	"context"
	"errors"

	"github.com/orthd/orth/job"
)

// The exit codes. They are published in docs/cli.md: a number never changes its
// meaning.
const (
	exitOK          = 0
	exitError       = 1   // the command was understood and did not succeed
	exitUsage       = 2   // the command line is wrong, or the settings to start with
	exitNotFound    = 3   // what is named does not exist
	exitDenied      = 4   // no credential, a wrong one, or one that does not allow this
	exitConflict    = 5   // it exists already, or changed meanwhile
	exitUnavailable = 6   // the server does not answer, or cannot at this time
	exitRunBad      = 7   // what was waited for ended, and not well
	exitChanges     = 8   // a plan that was asked to tell so would change something
	exitInterrupted = 130 // ended by a signal, as a shell has it
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
	case err == nil:
		return exitOK
	case errors.Is(err, errRunBad):
		return exitRunBad
	case errors.Is(err, errChanges):
		return exitChanges
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	if _, unfit := errors.AsType[settingsError](err); unfit {
		return exitUsage
	}
	switch job.KindOf(err) {
	case job.NotFound:
		return exitNotFound
	case job.Unauthorized, job.Forbidden:
		return exitDenied
	case job.Conflict, job.Duplicate:
		return exitConflict
	case job.Full, job.Unavailable, job.Unreachable, job.Ambiguous:
		return exitUnavailable
	case job.Invalid, job.Refused, job.Interrupted, job.Internal:
	}
	return exitError
}
