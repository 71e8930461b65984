package job

import (
	"errors"
	"fmt"
)

// Kind classifies an error for its receiver. The set is closed: every protocol translates
// these kinds in one table, and anything else is [Internal].
type Kind string

// The kinds of error.
const (
	// Invalid: the request itself is wrong; sending it again cannot help.
	Invalid Kind = "invalid"
	// Unauthorized: no credential, or an invalid one.
	Unauthorized Kind = "unauthorized"
	// Forbidden: the credential is valid but does not allow this.
	Forbidden Kind = "forbidden"
	// NotFound: the thing named does not exist.
	NotFound Kind = "not_found"
	// Conflict: the object exists already, or was changed since.
	Conflict Kind = "conflict"
	// Duplicate: this very attempt was accepted before.
	Duplicate Kind = "duplicate"
	// Full: a bounded queue or limit is reached; a later try may succeed.
	Full Kind = "full"
	// Unavailable: a required part is away; a later try may succeed.
	Unavailable Kind = "unavailable"
	// Refused: the peer answered with a refusal.
	Refused Kind = "refused"
	// Unreachable: the request certainly did not arrive; another address may
	// be tried.
	Unreachable Kind = "unreachable"
	// Ambiguous: the request was sent and not answered. It may have taken
	// effect, so it must not be sent elsewhere.
	Ambiguous Kind = "ambiguous"
	// Interrupted: the executor stopped while the attempt ran.
	Interrupted Kind = "interrupted"
	// Internal: everything else. Its text is for the log, not for users.
	Internal Kind = "internal"
)

// ErrDiscarded is the cause of a refusal that is no failure: the job is busy on the
// executor, and its overlap discards the run.
var ErrDiscarded = errors.New("the job is busy there, and its overlap discards the run")

// ErrBusy is the cause of a temporary conflict: the runs of the job have reached the limit
// of its overlap.
var ErrBusy = errors.New("as many runs of the job are under way as may be")

// Error is an error of a known kind. Message is one sentence in the user's words: what was
// wrong and where. Hint is what to do and may be empty.
type Error struct {
	Kind    Kind
	Field   string // the input at fault, as the user wrote its name; may be empty
	Message string
	Hint    string
	Err     error // the cause, for the log; may be nil
}

// Error returns the message, the field and the cause in one line.
func (e *Error) Error() string {
	text := e.Message
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	if e.Err != nil {
		if cause := e.Err.Error(); cause != "" {
			text += ": " + cause
		}
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an *Error of the kind. With %w in the format the cause is kept
// and its text becomes part of Message.
func Errorf(kind Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Err: hidden{errors.Unwrap(err)}.orNil()}
}

// FieldErrorf makes an Invalid error about one field of the input.
func FieldErrorf(field, format string, args ...any) *Error {
	e := Errorf(Invalid, format, args...)
	e.Field = field
	return e
}

// KindOf returns the kind of the first *Error in err's chain, "" for nil and
// Internal for any other error.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is of the kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// hidden keeps a cause reachable for errors.Is and errors.As without printing
// it a second time: Message holds its text already.
type hidden struct{ err error }

func (h hidden) Error() string { return "" }
func (h hidden) Unwrap() error { return h.err }

func (h hidden) orNil() error {
	if h.err == nil {
		return nil
	}
	return h
}
