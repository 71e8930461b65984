package rest

import "github.com/orthd/orth/internal/rest/guard"

// UserRoomConfig is what the operations about users, their grants, tokens and sessions ask. What has no default is required.
type UserRoomConfig struct {
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

	config UserRoomConfig
}

// RegisterUserRoom adds the operations about users, their grants, tokens and sessions.
func RegisterUserRoom(g *guard.Guard, c UserRoomConfig) {
	s := &userRoom{Guard: g, config: c}
	s.registerUsers()
	s.registerGrants()
	s.registerAPITokens()
	s.registerSignIn()
	s.registerSessions()
}
