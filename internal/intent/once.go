package intent

import (
	"strconv"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// Any matches every version, in Match.
const Any = "*"

// Reuse is the earlier use of a key.
type Reuse struct {
	// Request is the digest of the earlier request, and Operation its operation.
	Request   [32]byte
	Operation string
	// Line is the number of its audit entry; 0 for none.
	Line int64
	// At is when the request came.
	At time.Time
	// Reply is the stored answer of the endpoint, in its own format; empty if there was
	// none.
	Reply string
}

// CallerOf returns the owner of a principal's keys: all its tokens and sessions share their
// keys.
func CallerOf(p *access.Principal) string {
	if p.ID == 0 {
		return string(p.Kind)
	}
	return "user:" + strconv.FormatInt(p.ID, 10)
}

// MismatchError is the error for an object with none of the versions that an intent
// requires. Nothing was changed.
type MismatchError struct{ Object Object }

// Error returns the message.
func (m *MismatchError) Error() string { return m.Unwrap().Error() }

// Unwrap returns the error for other packages. Its kind is one that is not retried.
func (m *MismatchError) Unwrap() error {
	return &job.Error{
		Kind: job.Invalid, Message: m.Object.Kind + " " + m.Object.Key + " is not as the change expects it: it was changed meanwhile, or is not there",
		Hint: "look at it as it stands, and change that",
	}
}
