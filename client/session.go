package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// cookieSession is what a client shows instead of a token after a sign-in: a cookie, and as
// a page of the server would the address that it comes from.
type cookieSession struct {
	cookie redacted.Text // NAME=VALUE
	origin string
}

// addToRequest puts the session into a request.
func (s *cookieSession) addToRequest(request *http.Request) {
	request.Header.Set("Origin", s.origin)
	if !s.cookie.IsZero() {
		request.Header.Set("Cookie", s.cookie.Reveal())
	}
}

// SignIn signs in with the name and the password of a user. It returns a client that
// calls as the user until [Client.SignOut]; its own token plays no part. Kinds:
// Unauthorized for a wrong name or password, Full for too many tries, Forbidden for a
// connection that passwords must not go over.
func (c *Client) SignIn(ctx context.Context, user, password string) (*Client, api.SignedIn, error) {
	return c.begin(ctx, prefix+"/session", api.SignIn{User: user, Password: password})
}

// ChangePassword sets another password for the signed-in user, and returns the client to
// use from then on: all older sessions end.
func (c *Client) ChangePassword(ctx context.Context, old, fresh string) (*Client, api.SignedIn, error) {
	return c.begin(ctx, prefix+"/session/password", api.PasswordChange{Old: old, New: fresh})
}

// SignOut ends the session of a client that signed in.
func (c *Client) SignOut(ctx context.Context) error {
	return c.doRequest(ctx, http.MethodDelete, prefix+"/session", nil, nil, nil)
}

// begin makes a request whose answer brings the cookie of a session.
func (c *Client) begin(ctx context.Context, path string, in any) (*Client, api.SignedIn, error) {
	var who api.SignedIn
	base, err := url.Parse(c.base)
	if err != nil {
		return nil, who, job.Errorf(job.Invalid, "%s is no address that can be called: %w", c.base, err)
	}
	caller := *c
	caller.token = redacted.Text{}
	if caller.session == nil {
		caller.session = &cookieSession{origin: base.Scheme + "://" + base.Host}
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := caller.request(ctx, http.MethodPost, path, nil, in)
	if err != nil {
		return nil, who, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, who, c.silence(err, true)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, who, c.silence(err, true)
	}
	if err := c.understand(response, body, &who); err != nil {
		return nil, who, err
	}
	cookies := response.Cookies()
	if len(cookies) != 1 {
		return nil, who, c.stranger("lets one in without a session")
	}
	caller.session = &cookieSession{cookie: redacted.New(cookies[0].Name + "=" + cookies[0].Value), origin: caller.session.origin}
	return &caller, who, nil
}
