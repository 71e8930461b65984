package access

import "time"

// Way is how somebody has signed in.
type Way string

// The ways to sign in.
const (
	// ByPassword is with a password that the server itself knows.
	ByPassword Way = "password"
	// ByProvider is with an account of an identity provider.
	ByProvider Way = "oidc"
)

// Session is what a browser holds after a sign-in. The secret that stands for it is
// kept nowhere but there.
type Session struct {
	ID   int64
	User int64
	Way  Way
	// Epoch is that of the user at the sign-in: one that is lower than the user's own
	// has ended.
	Epoch int64
	// Address is where the sign-in came from, without the port, and Agent what the
	// browser calls itself, cut to [MaxAgent]
	// characters.
	Address, Agent string
	CreatedAt      time.Time
	// SeenAt is when it was used last, at most a minute behind.
	SeenAt time.Time
	// EndsAt is when it ends however much it is used.
	EndsAt time.Time
}

const (
	// MaxAgent is how much is kept of what a browser calls itself, in characters.
	MaxAgent = 200
	// MaxSessions is how many sessions a user has at once: one more ends the oldest.
	MaxSessions = 50
)

// Over reports whether a session has ended by itself: it is past its end, or nobody
// has used it for the time.
func (s *Session) Over(now time.Time, idle time.Duration) bool {
	return !now.Before(s.EndsAt) || now.Sub(s.SeenAt) >= idle
}
