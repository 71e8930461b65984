package access

import "time"

// Way is how a user has signed in.
type Way string

// The ways to sign in.
const (
	// ByPassword: with a local password.
	ByPassword Way = "password"
	// ByProvider: with an account of an identity provider.
	ByProvider Way = "oidc"
)

// Session is a browser's sign-in. Only the browser stores its secret.
type Session struct {
	ID   int64
	User int64
	Way  Way
	// Epoch is the user's epoch at the sign-in. A session with an older epoch than the
	// user's has ended.
	Epoch int64
	// Address is the address of the sign-in, without the port. Agent is the browser's user
	// agent, cut to [MaxAgent] characters.
	Address, Agent string
	CreatedAt      time.Time
	// SeenAt is when it was last used, at most a minute behind.
	SeenAt time.Time
	// EndsAt is when it ends, even in use.
	EndsAt time.Time
}

const (
	// MaxAgent bounds the stored user agent, in characters.
	MaxAgent = 200
	// MaxSessions bounds the sessions of a user. Another one ends the oldest.
	MaxSessions = 50
)

// Over reports whether a session has expired: it is past its end, or unused for the idle
// time.
func (s *Session) Over(now time.Time, idle time.Duration) bool {
	return !now.Before(s.EndsAt) || now.Sub(s.SeenAt) >= idle
}
