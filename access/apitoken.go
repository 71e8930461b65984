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

// APIToken authenticates a program as a user. The secret itself is not stored.
type APIToken struct {
	ID, UserID int64
	// User is the name of the user.
	User string
	// Key is the public part of the token, which identifies it for people.
	Key   string
	Label string
	// Limits narrow the user's rights; nil does not limit them.
	Limits []Grant
	// ExpiresAt is when it expires; zero for never.
	CreatedAt, ExpiresAt time.Time
	// UsedAt is when it was last used, to the minute; zero for never.
	UsedAt time.Time
}

// Check returns an error that names the invalid field of a new token.
func (t *APIToken) Check(now time.Time) error {
	switch {
	case !plain(t.Label, MaxTokenLabel):
		return job.FieldErrorf("label", "must be one line of at most %d characters", MaxTokenLabel)
	case t.Limits != nil && len(t.Limits) == 0:
		return job.FieldErrorf("limits", "are empty, so the token would have no rights; omit limits to give it all rights of the user")
	case !t.ExpiresAt.IsZero() && !t.ExpiresAt.After(now):
		return job.FieldErrorf("expires_at", "must lie in the future")
	}
	return CheckGrants("limits", t.Limits)
}

// Expired reports whether the token has expired.
func (t *APIToken) Expired(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)
}

// Principal returns the principal of a token of the user.
func (t *APIToken) Principal(u *User) Principal {
	p := u.Principal(t.ID)
	p.Limits = t.Limits
	if p.Kind == Person {
		p.Kind = Token
	}
	return p
}
