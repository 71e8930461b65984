package output

import (
	"context"
	"errors"

	"github.com/orthd/orth/job"
)

// Exit codes. They are published in docs/cli.md: the meaning of a number never changes.
const (
	ExitOK          = 0
	ExitError       = 1   // the command failed
	ExitUsage       = 2   // invalid command line or start settings
	ExitNotFound    = 3   // the object does not exist
	ExitDenied      = 4   // missing, invalid or insufficient credentials
	ExitConflict    = 5   // the object already exists, or was changed concurrently
	ExitUnavailable = 6   // the server does not respond or is unavailable
	ExitRunBad      = 7   // the awaited run did not succeed
	ExitChanges     = 8   // a plan with --detailed-exitcode contains changes
	ExitInterrupted = 130 // terminated by a signal, as in shells
)

// ExitCode returns the exit code for the kind of an error.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	}
	switch job.KindOf(err) {
	case job.NotFound:
		return ExitNotFound
	case job.Unauthorized, job.Forbidden:
		return ExitDenied
	case job.Conflict, job.Duplicate:
		return ExitConflict
	case job.Full, job.Unavailable, job.Unreachable, job.Ambiguous:
		return ExitUnavailable
	case job.Invalid, job.Refused, job.Interrupted, job.Internal:
	}
	return ExitError
}
