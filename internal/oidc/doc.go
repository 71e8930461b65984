// Package oidc is the door to a provider of identities that speaks OpenID Connect:
// it finds out whom the provider vouches for.
//
// It knows the authorisation code flow with PKCE, what an identity token has to say,
// and which groups of the provider stand for which roles here. It must never know
// sessions, cookies or rows. A browser's answer comes in; a user goes out, as the room
// of identities has it. All calls go through package egress, and follow no redirect.
//
// What ties an answer to the browser that asked (state, nonce and verifier) is kept by
// that browser, so that any server can take the answer, and nobody fills a memory by
// asking.
package oidc

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// Config configures the provider, and the grants of its groups.
type Config struct {
	// Issuer is the provider's address, exactly as its tokens name it. It must be HTTPS,
	// except on this machine. Required.
	Issuer string
	// ClientID and ClientSecret identify the server to the provider. The secret may be
	// empty for a public client.
	ClientID     string
	ClientSecret redacted.Text
	// Redirect is the redirect URI, exactly as it is registered with the provider.
	// Required.
	Redirect string
	// Scopes are the requested scopes. Defaults to openid, profile and email; openid is
	// always included.
	Scopes []string
	// NameClaim is the claim with the name of a new account. Defaults to
	// preferred_username. GroupsClaim is the claim with the groups; dots separate the parts
	// of a path. Defaults to groups.
	NameClaim, GroupsClaim string
	// Grants are the grants of groups.
	Grants []Grant
	// Label is the provider's display name. Defaults to the issuer's host.
	Label string
	// Private allows a provider in a private network, or on this machine. Defaults to
	// false.
	Private bool
	// Users admits authenticated persons. Required.
	Users Users
	// Logger receives errors of the provider. Defaults to discarding them.
	Logger *slog.Logger
}

// Users admits persons whom a provider has authenticated.
type Users interface {
	Admit(ctx context.Context, f users.Foreign) (access.User, error)
}

// Grant is a grant for the members of a provider's group; * matches everyone whom it
// authenticates.
type Grant struct {
	Group string
	Grant access.Grant
}

// ParseGrant parses the text form of a grant: GROUP=ROLE@NAMESPACE/GROUP.
func ParseGrant(text string) (Grant, error) {
	at := strings.LastIndex(text, "=")
	if at <= 0 {
		return Grant{}, job.FieldErrorf("oidc-grant", "%q is not GROUP=ROLE@NAMESPACE/GROUP, such as staff=viewer@default", text)
	}
	g, err := access.ParseGrant(text[at+1:])
	if err != nil {
		return Grant{}, job.FieldErrorf("oidc-grant", "%w", err)
	}
	return Grant{text[:at], g}, nil
}

// defaults sets defaults in empty fields.
func (c *Config) defaults() {
	if len(c.Scopes) == 0 {
		c.Scopes = []string{"openid", "profile", "email"}
	}
	if !slices.Contains(c.Scopes, "openid") {
		c.Scopes = append([]string{"openid"}, c.Scopes...)
	}
	if c.NameClaim == "" {
		c.NameClaim = "preferred_username"
	}
	if c.GroupsClaim == "" {
		c.GroupsClaim = "groups"
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

// check returns an error that names the invalid setting.
func (c *Config) check() error {
	issuer, err := url.Parse(c.Issuer)
	switch {
	case err != nil || issuer.Host == "" || issuer.RawQuery != "" || issuer.Fragment != "" || issuer.User != nil:
		return job.FieldErrorf("oidc-issuer", "%q is not an address such as https://id.example.com", c.Issuer)
	case issuer.Scheme != "https" && (issuer.Scheme != "http" || !credential.Loopback(issuer.Hostname())):
		return job.FieldErrorf("oidc-issuer", "%q must be an https address: whoever stands between could sign in as anybody", c.Issuer)
	case c.ClientID == "":
		return job.FieldErrorf("oidc-client-id", "is missing: it is what the provider knows this server by")
	case c.Redirect == "":
		return job.FieldErrorf("public-url", "is missing: the provider sends browsers back to it")
	case len(c.Grants) > access.MaxGrants:
		return job.FieldErrorf("oidc-grant", "is given %d times, at most %d are allowed", len(c.Grants), access.MaxGrants)
	}
	if c.Label == "" {
		c.Label = issuer.Hostname()
	}
	return nil
}

// New returns a Door. It does not call the provider before the first sign-in.
func New(c Config) (*Door, error) {
	c.defaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	client, err := egress.New(egress.Config{
		Private: c.Private, PrivateName: "--oidc-allow-private", AllowName: "--oidc-allow-private", Timeout: callFor, MaxRedirects: -1,
	})
	if err != nil {
		return nil, err
	}
	return &Door{config: c, egress: client}, nil
}
