package output

import (
	"context"
	"errors"

	"github.com/orthd/orth/job"
)

// The exit codes. They are published in docs/cli.md: a number never changes its
// meaning.
const (
	ExitOK          = 0
	ExitError       = 1   // the command was understood and did not succeed
	ExitUsage       = 2   // the command line is wrong, or the settings to start with
	ExitNotFound    = 3   // what is named does not exist
	ExitDenied      = 4   // no credential, a wrong one, or one that does not allow this
	ExitConflict    = 5   // it exists already, or changed meanwhile
	ExitUnavailable = 6   // the server does not answer, or cannot at this time
	ExitRunBad      = 7   // what was waited for ended, and not well
	ExitChanges     = 8   // a plan that was asked to tell so would change something
	ExitInterrupted = 130 // ended by a signal, as a shell has it
)

// ExitCode returns the exit code for an error by its kind.
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
