package access

import (
	"time"

	"github.com/orthd/orth/job"
)

// The limits of tokens.
const (
	MaxTokenLabel = 200
	// MaxUserTokens bounds the tokens of a user.
	MaxUserTokens = 100
)

// APIToken is what a program shows to act as a user. The secret itself is nowhere
// kept, and not part of it.
type APIToken struct {
	ID, UserID int64
	// User is the name of the user.
	User string
	// Key is the part of the token that is no secret, by which people know it again.
	Key   string
	Label string
	// Limits narrow what the user may do; nil for not at all.
	Limits []Grant
	// ExpiresAt is when it is good no more; zero for never.
	CreatedAt, ExpiresAt time.Time
	// UsedAt is when it was last used, to the minute; zero for never.
	UsedAt time.Time
}

// Check reports what is wrong with a token that is to be made, in terms of its
// fields.
func (t *APIToken) Check(now time.Time) error {
	switch {
	case !plain(t.Label, MaxTokenLabel):
		return job.FieldErrorf("label", "must be one line of at most %d characters", MaxTokenLabel)
	case t.Limits != nil && len(t.Limits) == 0:
		return job.FieldErrorf("limits", "are none: such a token could do nothing; leave them out for all that the user may do")
	case !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(now):
		return job.FieldErrorf("expires_at", "must lie in the future")
	}
	return CheckGrants("limits", t.Limits)
}

// Expired reports whether the token is good no more.
func (t *APIToken) Expired(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)
}

// Principal returns who shows the token, which is one of the user's.
func (t *APIToken) Principal(u *User) Principal {
	p := u.Principal(t.ID)
	p.Limits = t.Limits
	if p.Kind == Person {
		p.Kind = Token
	}
	return p
}
