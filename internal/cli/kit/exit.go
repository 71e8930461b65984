package kit

import (
	"context"
	"errors"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

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
