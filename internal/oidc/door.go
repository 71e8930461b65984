package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

const (
	// callFor bounds a call to the provider, and maxAnswer its response in bytes.
	callFor   = 10 * time.Second
	maxAnswer = 1 << 20
	// goodFor is how long the provider's metadata is cached. afterFailure is the pause
	// after a failed call.
	goodFor      = 24 * time.Hour
	afterFailure = 2 * time.Second
	// leeway is the tolerance for the provider's clock.
	leeway = time.Minute
	// partLength is the length of each part of the browser's state.
	partLength = 43
)

// Door signs in persons whom the provider authenticates. It is safe for concurrent use.
type Door struct {
	config Config
	egress *egress.Client

	mu       sync.Mutex
	known    *oidc.Provider // nil until the first read; guarded by mu, like the following
	verifier *oidc.IDTokenVerifier
	askedAt  time.Time
	failedAt time.Time
}

// Label returns the provider's display name.
func (d *Door) Label() string { return d.config.Label }

// Close closes idle connections.
func (d *Door) Close() { d.egress.CloseIdleConnections() }

// RoundTrip sends a request of the libraries, and bounds its response.
func (d *Door) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := d.egress.Do(r)
	if err != nil {
		return nil, err
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(answer.Body, maxAnswer), answer.Body}
	return answer, nil
}

// through makes the libraries use the door's HTTP client.
func (d *Door) through(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, &http.Client{
		Transport: d, Timeout: callFor, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
}

// provider returns the provider's metadata. Kinds: Unavailable.
func (d *Door) provider(ctx context.Context) (*oidc.Provider, *oidc.IDTokenVerifier, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if d.known != nil && now.Sub(d.askedAt) < goodFor {
		return d.known, d.verifier, nil
	}
	if now.Sub(d.failedAt) < afterFailure {
		return d.old()
	}
	known, err := oidc.NewProvider(d.through(ctx), d.config.Issuer)
	if err != nil {
		if ctx.Err() == nil {
			d.failedAt = now
			d.config.Logger.Warn("the provider of identities could not be asked about itself", "issuer", d.config.Issuer, "error", err)
		}
		return d.old()
	}
	d.known, d.askedAt = known, now
	d.verifier = known.VerifierContext(d.through(context.WithoutCancel(ctx)), &oidc.Config{
		ClientID: d.config.ClientID, Now: func() time.Time { return time.Now().Add(-leeway) },
	})
	return d.known, d.verifier, nil
}

// old returns the cached metadata.
func (d *Door) old() (*oidc.Provider, *oidc.IDTokenVerifier, error) {
	if d.known == nil {
		return nil, nil, job.Errorf(job.Unavailable, "the provider of identities, %s, cannot be reached at present: try again later", d.config.Label)
	}
	return d.known, d.verifier, nil
}

func (d *Door) oauth(p *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: d.config.ClientID, ClientSecret: d.config.ClientSecret.Reveal(),
		Endpoint: p.Endpoint(), RedirectURL: d.config.Redirect, Scopes: d.config.Scopes,
	}
}

// Start returns the address at which a browser signs in, and the text that it must return
// with the answer. Kinds: Unavailable.
func (d *Door) Start(ctx context.Context) (string, redacted.Text, error) {
	p, _, err := d.provider(ctx)
	if err != nil {
		return "", redacted.Text{}, err
	}
	state, nonce, verifier := credential.Generate().Reveal(), credential.Generate().Reveal(), oauth2.GenerateVerifier()
	address := d.oauth(p).AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
	return address, redacted.New(state + "." + nonce + "." + verifier), nil
}

// Answer is the provider's answer, which the browser brings: a code or a failure, and the
// state of the request.
type Answer struct{ Code, State, Failure string }

// Finish returns the user of an answer. keep is what Start returned to the same browser.
// Kinds: Unauthorized for an invalid answer, Forbidden when the provider refused,
// Unavailable, and those of [Users]. users.RefusalOf returns the reason.
func (d *Door) Finish(ctx context.Context, keep redacted.Text, a Answer) (access.User, error) {
	parts := strings.Split(keep.Reveal(), ".")
	if len(parts) != 3 || slices.ContainsFunc(parts, func(p string) bool { return len(p) != partLength }) ||
		subtle.ConstantTimeCompare([]byte(parts[0]), []byte(a.State)) != 1 {
		return access.User{}, users.Refuse(users.Expired, again("the answer of the provider of identities is not the one to this browser's question"))
	}
	if a.Failure != "" {
		d.config.Logger.Info("the provider of identities let nobody in", "reason", job.Clean(a.Failure, 100))
		return access.User{}, users.Refuse(users.Denied, job.Errorf(job.Forbidden, "the provider of identities, %s, has not let you in", d.config.Label))
	}
	p, verifier, err := d.provider(ctx)
	if err != nil {
		return access.User{}, err
	}
	ctx = d.through(ctx)
	token, err := d.oauth(p).Exchange(ctx, a.Code, oauth2.VerifierOption(parts[2]))
	if err != nil {
		return access.User{}, d.refused(ctx, "the provider of identities gave no token", err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := verifier.Verify(ctx, raw)
	if err != nil {
		return access.User{}, d.refused(ctx, "the token of the provider of identities is not good", err)
	}
	if err := d.checkToken(id, token.AccessToken, parts[1]); err != nil {
		return access.User{}, d.refused(ctx, "the token of the provider of identities is not good", err)
	}
	all, err := d.claims(ctx, p, id, token)
	if err != nil {
		return access.User{}, d.refused(ctx, "the provider of identities does not say who it is", err)
	}
	f, err := d.foreign(id.Subject, all)
	if err != nil {
		return access.User{}, users.Refuse(users.NotAllowed, err)
	}
	u, err := d.config.Users.Admit(ctx, f)
	if slices.Contains([]job.Kind{job.Unauthorized, job.Forbidden, job.Conflict, job.Invalid, job.Full}, job.KindOf(err)) {
		err = users.Refuse(users.NotAllowed, err)
	}
	return u, err
}

// checkToken checks what the library leaves to its callers.
func (d *Door) checkToken(id *oidc.IDToken, accessToken, nonce string) error {
	var more struct {
		Party string `json:"azp"`
	}
	if err := id.Claims(&more); err != nil {
		return err
	}
	switch {
	case id.Subject == "":
		return errors.New("it has no subject")
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1:
		return errors.New("it has another nonce")
	case more.Party != "" && more.Party != d.config.ClientID, len(id.Audience) > 1 && more.Party == "":
		return errors.New("it was made for another client")
	case id.IssuedAt.After(time.Now().Add(leeway)):
		return errors.New("it is from the future")
	case id.AccessTokenHash != "":
		return id.VerifyAccessToken(accessToken)
	}
	return nil
}

// refused logs why an answer is invalid. The user gets fewer details.
func (d *Door) refused(ctx context.Context, message string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if said, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		// The error's text contains the whole response.
		d.config.Logger.Warn("the provider of identities refused a sign-in", "code", job.Clean(said.ErrorCode, 100), "status", said.Response.Status)
	} else {
		d.config.Logger.Warn("an answer of the provider of identities is of no use", "reason", message, "error", err)
	}
	return again(message)
}

func again(message string) error {
	return &job.Error{Kind: job.Unauthorized, Message: message, Hint: "sign in again; the server's log tells more"}
}
