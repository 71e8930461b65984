package xxladmin

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// logIn begins a session of a user of this server, and sets the cookie of the generation
// whose path it came by.
func (h *Handler) logIn(ctx context.Context, c *adminCall) (any, error) {
	name, password := c.form.trimmed("userName"), c.form.values.Get("password")
	if name == "" || password == "" {
		return nil, job.FieldErrorf("userName", "and password are needed: those of a user of this server")
	}
	var who api.SignedIn
	header, err := h.request(ctx, http.MethodPost, "/session", api.SignIn{User: name, Password: password}, &who)
	if err != nil {
		return nil, err
	}
	own, err := http.ParseSetCookie(header.Get("Set-Cookie"))
	if err != nil || own.Value == "" {
		return nil, fmt.Errorf("read the session that the API has begun: %w", err)
	}
	if who.MustChange {
		return nil, h.changeFirst(c, own.Value, name)
	}
	cookie := c.cookie() //nolint:gosec // The old admin's names and flags.
	cookie.Value, cookie.Secure = own.Value, own.Secure
	if c.form.has("ifRemember") && who.Session != nil {
		cookie.MaxAge = int(time.Until(who.Session.EndsAt.Time) / time.Second)
	}
	c.header.Add("Set-Cookie", cookie.String())
	return nil, nil //nolint:nilnil // the answer holds nothing
}

// changeFirst ends a session without permissions, and returns the reason.
func (h *Handler) changeFirst(c *adminCall, session, name string) error {
	ctx, err := h.config.Gate.Admit(c.request, "", session)
	if err == nil {
		_, err = h.request(ctx, http.MethodDelete, "/session", nil, nil)
	}
	if err != nil {
		return err
	}
	return &job.Error{
		Kind: job.Refused, Message: "user " + name + " has to change the password before a script can log in with it",
		Hint: "sign in at the console once and change it there, have an administrator set one with 'orth user password --permanent', or let the script send an API token",
	}
}

// logOut ends the session of the cookie. Without a good one there is nothing to end.
func (h *Handler) logOut(_ context.Context, c *adminCall) (any, error) {
	cookie := c.cookie() //nolint:gosec // The old admin's names and flags.
	cookie.MaxAge = -1
	c.header.Add("Set-Cookie", cookie.String())
	if c.shown.session == "" {
		return nil, nil //nolint:nilnil // the answer holds nothing
	}
	ctx, err := h.config.Gate.Admit(c.request, "", c.shown.session)
	if err == nil {
		_, err = h.request(ctx, http.MethodDelete, "/session", nil, nil)
	}
	if job.Is(err, job.Unauthorized) {
		err = nil
	}
	return nil, err
}

// cookie returns the cookie of the generation whose login was asked for, without a value.
// Browsers send it from pages of this server alone.
func (c *adminCall) cookie() *http.Cookie {
	name := newCookie
	if c.route.speech == tables {
		name = oldCookie
	}
	return &http.Cookie{Name: name, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode} //nolint:gosec // The old admin's names and flags.
}
