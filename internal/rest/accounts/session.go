package accounts

import (
	"context"
	"net/http"
	"strconv"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/browser"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Sessions knows who has signed in.
type Sessions interface {
	// Caller returns who holds the secret of a session. Kinds: Unauthorized.
	Caller(ctx context.Context, text string) (access.Principal, error)
	// Begin starts a session of a user, whose secret is never shown again.
	Begin(ctx context.Context, u *access.User, way access.Way, address, agent string) (access.Session, redacted.Text, error)
	SessionKeeper
}

// SessionKeeper lists and ends sessions.
type SessionKeeper interface {
	// Of returns the sessions of a user, the newest first.
	Of(ctx context.Context, user int64) ([]access.Session, error)
	// End ends a session of a user. Kinds: NotFound.
	End(ctx context.Context, user, id int64) error
	// EndOthers ends all sessions of a user but one, 0 for all.
	EndOthers(ctx context.Context, user, but int64) error
}

type sessionList struct{ Body api.SessionList }

type sessionReply struct{ Body api.SignedIn }

type sessionPath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a session's id" doc:"The session's id."`
}

type sessionOf struct {
	Name string `path:"name" maxLength:"64" doc:"The user's name."`
	ID   string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a session's id" doc:"The session's id."`
}

type sessionsOf struct {
	Name string `path:"name" doc:"The user's name."`
}

// registerSessions adds what is about sessions.
func (s *userRoom) registerSessions() {
	guard.Register(s.Guard, guard.Op{
		ID: "get-session", Method: http.MethodGet, Path: "/session", Tags: []string{tagSession},
		Right: guard.Self, Scope: guard.OnSelfLocked, Class: guard.Reading,
		Summary: "Show the caller",
	}, s.session)
	guard.Register(s.Guard, guard.Op{
		ID: "sign-out", Method: http.MethodDelete, Path: "/session", Tags: []string{tagSession},
		Right: guard.Self, Scope: guard.OnSelfLocked, Class: guard.Writing, Status: http.StatusNoContent,
		Summary: "Sign out: the session ends",
	}, s.signOut)
	guard.Register(s.Guard, guard.Op{
		ID: "list-sessions", Method: http.MethodGet, Path: "/sessions", Tags: []string{tagSession},
		Right: guard.Self, Scope: guard.OnSelf, Class: guard.Reading,
		Summary: "List one's own sessions",
	}, s.sessions)
	guard.Register(s.Guard, guard.Op{
		ID: "end-session", Method: http.MethodDelete, Path: "/sessions/{id}", Tags: []string{tagSession},
		Right: guard.Self, Scope: guard.OnSelf, Class: guard.Writing, Status: http.StatusNoContent,
		Summary: "End one of one's own sessions",
	}, s.endSession)
	guard.Register(s.Guard, guard.Op{
		ID: "list-user-sessions", Method: http.MethodGet, Path: "/users/{name}/sessions", Tags: []string{tagSession},
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Reading,
		Summary: "List the sessions of a user",
	}, s.userSessions)
	guard.Register(s.Guard, guard.Op{
		ID: "end-user-sessions", Method: http.MethodDelete, Path: "/users/{name}/sessions", Tags: []string{tagSession},
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Writing, Status: http.StatusNoContent,
		Summary: "End all sessions of a user",
	}, s.endUserSessions)
	guard.Register(s.Guard, guard.Op{
		ID: "end-user-session", Method: http.MethodDelete, Path: "/users/{name}/sessions/{id}", Tags: []string{tagSession},
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Writing, Status: http.StatusNoContent,
		Summary: "End one session of a user",
	}, s.endUserSession)
}

// person returns who calls, when it is a user who has signed in.
func (s *userRoom) person(ctx context.Context) (access.Principal, error) {
	caller := intent.Caller(ctx)
	if caller.Kind != access.Person || caller.Credential == 0 || s.config.Sessions == nil {
		return caller, job.Errorf(job.Forbidden, "only a user who has signed in with a browser has sessions and a password here")
	}
	return caller, nil
}

// whoIs describes the caller.
func whoIs(p *access.Principal, session *api.Session) api.SignedIn {
	who := api.SignedIn{User: p.Name, Kind: string(p.Kind), MustChange: p.Locked, Grants: make([]string, len(p.Grants)), Session: session}
	for i, g := range p.Grants {
		who.Grants[i] = g.String()
	}
	return who
}

func (s *userRoom) session(ctx context.Context, _ *struct{}) (*sessionReply, error) {
	caller, err := s.person(ctx)
	if err != nil { // it has none
		return &sessionReply{whoIs(&caller, nil)}, nil //nolint:nilerr // a caller without a session gets its own name
	}
	all, err := s.config.Sessions.Of(ctx, caller.ID)
	if err != nil {
		return nil, err
	}
	for _, session := range all {
		if session.ID == caller.Credential {
			shown := api.FromSession(session, caller.Credential)
			return &sessionReply{whoIs(&caller, &shown)}, nil
		}
	}
	return nil, job.Errorf(job.Unauthorized, "the session has ended: sign in again")
}

func (s *userRoom) signOut(ctx context.Context, _ *struct{}) (*signedOut, error) {
	caller, err := s.person(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.config.Sessions.End(ctx, caller.ID, caller.Credential); err != nil && !job.Is(err, job.NotFound) {
		return nil, err
	}
	return &signedOut{SetCookie: browser.VisitOf(ctx).Keep(redacted.Text{})}, nil
}

func (s *userRoom) sessions(ctx context.Context, _ *struct{}) (*sessionList, error) {
	caller, err := s.person(ctx)
	if err != nil {
		return nil, err
	}
	return s.sessionsOf(ctx, caller.ID, caller.Credential)
}

func (s *userRoom) sessionsOf(ctx context.Context, user, current int64) (*sessionList, error) {
	all, err := s.config.Sessions.Of(ctx, user)
	if err != nil {
		return nil, err
	}
	list := api.SessionList{Sessions: make([]api.Session, len(all))}
	for i, session := range all {
		list.Sessions[i] = api.FromSession(session, current)
	}
	return &sessionList{list}, nil
}

func (s *userRoom) endSession(ctx context.Context, in *sessionPath) (*struct{}, error) {
	caller, err := s.person(ctx)
	if err != nil {
		return nil, err
	}
	return nil, s.end(ctx, caller.ID, in.ID)
}

// end ends a session of a user, by the digits of its id.
func (s *userRoom) end(ctx context.Context, user int64, digits string) error {
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return job.Errorf(job.NotFound, "the user has no session %s", digits)
	}
	return s.config.Sessions.End(ctx, user, id)
}

// named returns a user whose sessions an administrator asks for.
func (s *userRoom) named(ctx context.Context, name string) (access.User, error) {
	if s.config.Sessions == nil {
		return access.User{}, job.Errorf(job.NotFound, "this server has no users")
	}
	return s.config.Users.User(ctx, name)
}

func (s *userRoom) userSessions(ctx context.Context, in *sessionsOf) (*sessionList, error) {
	u, err := s.named(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	caller, err := s.person(ctx)
	if err != nil { // none of them asks
		caller.Credential = 0
	}
	return s.sessionsOf(ctx, u.ID, caller.Credential)
}

func (s *userRoom) endUserSessions(ctx context.Context, in *sessionsOf) (*struct{}, error) {
	u, err := s.named(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return nil, s.config.Sessions.EndOthers(ctx, u.ID, 0)
}

func (s *userRoom) endUserSession(ctx context.Context, in *sessionOf) (*struct{}, error) {
	u, err := s.named(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return nil, s.end(ctx, u.ID, in.ID)
}
