package intent

import (
	"strconv"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// Any stands for each version, in Match.
const Any = "*"

// Reuse is what is known of a key that was used before.
type Reuse struct {
	// Request is the digest of what was asked with it, and Operation what that was.
	Request   [32]byte
	Operation string
	// Line is the number of the line in the audit; 0 for none.
	Line int64
	// At is when the request came.
	At time.Time
	// Reply is what the door has answered, in words of its own; empty when it never
	// came to that.
	Reply string
}

// CallerOf returns whose the keys of a principal are: those of all its tokens and
// sessions are the same ones.
func CallerOf(p *access.Principal) string {
	if p.ID == 0 {
		return string(p.Kind)
	}
	return "user:" + strconv.FormatInt(p.ID, 10)
}

// MismatchError is the error for an object that has none of the versions that an intent
// asks for. Nothing was changed.
type MismatchError struct{ Object Object }

// Error says what is the case.
func (m *MismatchError) Error() string { return m.Unwrap().Error() }

// Unwrap returns the error as rooms see it. Its kind is none that makes them try
// again.
func (m *MismatchError) Unwrap() error {
	return &job.Error{
		Kind: job.Invalid, Message: m.Object.Kind + " " + m.Object.Key + " is not as the change expects it: it was changed meanwhile, or is not there",
		Hint: "look at it as it stands, and change that",
	}
}
