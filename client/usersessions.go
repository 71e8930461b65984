package client

import (
	"context"
	"net/http"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// UserSessions returns the sessions of a user, the newest first: at most
// access.MaxSessions, and none of a disabled user. Kinds: NotFound for no such user.
func (c *Client) UserSessions(ctx context.Context, name string) (api.SessionList, error) {
	var list api.SessionList
	path, err := userPath(name)
	if err != nil {
		return list, err
	}
	err = c.doRequest(ctx, http.MethodGet, path+"/sessions", nil, nil, &list)
	return list, err
}

// EndUserSession ends one session of a user: the next request with it is refused.
// Kinds: NotFound for no such user, or no such session of that user.
func (c *Client) EndUserSession(ctx context.Context, name string, id api.ID) error {
	path, err := userPath(name)
	if err != nil {
		return err
	}
	if id <= 0 {
		return job.FieldErrorf("id", "%d is no id of a session", int64(id))
	}
	return c.doRequest(ctx, http.MethodDelete, path+"/sessions/"+id.String(), nil, nil, nil)
}

// EndUserSessions ends all sessions of a user. Kinds: NotFound for no such user.
func (c *Client) EndUserSessions(ctx context.Context, name string) error {
	path, err := userPath(name)
	if err != nil {
		return err
	}
	return c.doRequest(ctx, http.MethodDelete, path+"/sessions", nil, nil, nil)
}
