package api

import "github.com/orthd/orth/access"

// SignIn is the name of a user with its password.
type SignIn struct {
	User     string `json:"user" minLength:"1" maxLength:"64" doc:"The user's name."`
	Password string `json:"password" minLength:"1" maxLength:"1024" writeOnly:"true" doc:"The password."`
}

// PasswordChange sets another password for the signed-in user.
type PasswordChange struct {
	Old string `json:"old_password" minLength:"1" maxLength:"1024" writeOnly:"true" doc:"The password so far."`
	New string `json:"new_password" minLength:"1" maxLength:"1024" writeOnly:"true" doc:"The new one: 10 to 128 characters that are not easily guessed."`
}

// SignedIn is the caller.
type SignedIn struct {
	User       string   `json:"user" doc:"The name."`
	Kind       string   `json:"kind" enum:"user,token,service,system" doc:"The kind of caller: a user who has signed in, a token of one, a service account, or the server itself."`
	MustChange bool     `json:"must_change" doc:"Whether the password has to be changed before anything else is allowed."`
	Grants     []string `json:"grants" nullable:"false" doc:"The roles, as role@namespace/group; * is all."`
	Session    *Session `json:"session,omitempty" doc:"The session, when a browser calls."`
}

// Session is what a browser has after a sign-in, without its secret.
type Session struct {
	ID        ID     `json:"id" doc:"Names it when it is ended."`
	Way       string `json:"way" enum:"password,oidc" doc:"How the user has signed in."`
	Address   string `json:"address" doc:"Where the sign-in came from."`
	Agent     string `json:"agent,omitempty" doc:"The User-Agent of the browser."`
	CreatedAt Time   `json:"created_at" format:"date-time"`
	SeenAt    Time   `json:"seen_at" format:"date-time" doc:"When it was used last, within a minute."`
	EndsAt    Time   `json:"ends_at" format:"date-time" doc:"When it ends, however much it is used."`
	Current   bool   `json:"current" doc:"Whether it is the one that asks."`
}

// SessionList is the sessions of a user, the newest first.
type SessionList struct {
	Sessions []Session `json:"sessions" nullable:"false"`
}

// SignInWays is how people can sign in here.
type SignInWays struct {
	Password bool   `json:"password" doc:"Whether sign-in with a password is enabled."`
	OIDC     string `json:"oidc,omitempty" doc:"The display name of the identity provider; absent without one. A browser opens /api/v1/session/oidc/start."`
}

// FromSession returns a session as the API shows it. current is the id of the one
// that asks.
func FromSession(s access.Session, current int64) Session {
	return Session{
		ID: ID(s.ID), Way: string(s.Way), Address: s.Address, Agent: s.Agent,
		CreatedAt: At(s.CreatedAt), SeenAt: At(s.SeenAt), EndsAt: At(s.EndsAt), Current: s.ID == current,
	}
}
