package accounts

import "github.com/orthd/orth/internal/rest/guard"

// Config is what the operations about users, their grants, tokens and sessions ask. What has no default is required.
type Config struct {
	Users     Users
	Grants    Grants
	APITokens APITokens
	// Sessions knows who has signed in with a browser, and SignIn how that is done.
	// Default to nothing: browsers cannot.
	Sessions Sessions
	SignIn   SignIn
}

// userRoom carries the operations out.
type userRoom struct {
	*guard.Guard

	config Config
}

// Register adds the operations about users, their grants, tokens and sessions.
func Register(g *guard.Guard, c Config) {
	s := &userRoom{Guard: g, config: c}
	s.registerUsers()
	s.registerGrants()
	s.registerAPITokens()
	s.registerSignIn()
	s.registerSessions()
}
