package client_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/job"
)

// sessionMemory are the ids of the sessions of every user.
type sessionMemory struct{ ids []int64 }

func (m *sessionMemory) Caller(context.Context, string) (access.Principal, error) {
	return access.Principal{}, job.Errorf(job.Unauthorized, "no browser calls")
}

func (m *sessionMemory) Begin(context.Context, *access.User, access.Way, string, string) (access.Session, redacted.Text, error) {
	return access.Session{}, redacted.Text{}, job.Errorf(job.Unauthorized, "no browser calls")
}

func (m *sessionMemory) Of(_ context.Context, user int64) (all []access.Session, err error) {
	for _, id := range m.ids {
		all = append(all, access.Session{ID: id, User: user, Way: access.ByPassword})
	}
	return all, nil
}

func (m *sessionMemory) End(_ context.Context, _, id int64) error {
	at := slices.Index(m.ids, id)
	if at < 0 {
		return job.Errorf(job.NotFound, "the user has no session %d", id)
	}
	m.ids = slices.Delete(m.ids, at, at+1)
	return nil
}

func (m *sessionMemory) EndOthers(context.Context, int64, int64) error {
	m.ids = nil
	return nil
}

func TestUserSessions(t *testing.T) {
	t.Parallel()
	sessions := &sessionMemory{ids: []int64{9, 5, 3}}
	config, ctx := (&memory{}).config(), t.Context()
	config.Sessions = sessions
	handler, err := rest.New(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c := newClient(t, client.Config{Address: server.URL, Token: token})
	if _, err := c.CreateUser(ctx, api.NewUser{Name: "ada@example.com"}); err != nil {
		t.Fatal(err)
	}
	if err := c.EndUserSession(ctx, "ada@example.com", 5); err != nil {
		t.Error(err)
	}
	list, err := c.UserSessions(ctx, "ada@example.com")
	if err != nil || len(list.Sessions) != 2 || list.Sessions[0].ID != 9 || list.Sessions[1].ID != 3 {
		t.Errorf("listed are %+v, %v", list, err)
	}
	if err := c.EndUserSessions(ctx, "ada@example.com"); err != nil || len(sessions.ids) != 0 {
		t.Errorf("left are %v, %v", sessions.ids, err)
	}
	for what, c := range map[string]struct {
		err  error
		want job.Kind
	}{
		"a session that is gone": {c.EndUserSession(ctx, "ada@example.com", 5), job.NotFound},
		"a user that is gone":    {c.EndUserSession(ctx, "eva", 5), job.NotFound},
		"no id":                  {c.EndUserSession(ctx, "ada@example.com", 0), job.Invalid},
		"no user":                {c.EndUserSession(ctx, "", 5), job.Invalid},
		"all of no user":         {c.EndUserSessions(ctx, ".."), job.Invalid},
		"all of one gone":        {c.EndUserSessions(ctx, "eva"), job.NotFound},
	} {
		if !job.Is(c.err, c.want) {
			t.Errorf("%s: %v", what, c.err)
		}
	}
	if _, err := c.UserSessions(ctx, "."); !job.Is(err, job.Invalid) {
		t.Error(err)
	}
}
