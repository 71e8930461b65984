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

// Config says which provider it is, and what its groups stand for.
type Config struct {
	// Issuer is the provider's address, exactly as its tokens name it. HTTPS, but for
	// this machine. Required.
	Issuer string
	// ClientID and ClientSecret are what the provider knows the server by. The secret
	// may be empty for a public client.
	ClientID     string
	ClientSecret redacted.Text
	// Redirect is where the provider sends browsers back to, exactly as it is
	// registered there. Required.
	Redirect string
	// Scopes are asked for. Defaults to openid, profile and email; openid is always
	// among them.
	Scopes []string
	// NameClaim is the claim that has the name of an account when it is made. Defaults
	// to preferred_username. GroupsClaim has the groups; parts of a path are parted by
	// dots. Defaults to groups.
	NameClaim, GroupsClaim string
	// Grants are what groups stand for.
	Grants []Grant
	// Label is what people call the provider. Defaults to the issuer's host.
	Label string
	// Private lets the provider be within a private network, or on this machine.
	// Defaults to false.
	Private bool
	// Users takes whom the provider vouches for. Required.
	Users Users
	// Logger gets why the provider was of no use. Defaults to discarding it.
	Logger *slog.Logger
}

// Users takes whom a provider vouches for.
type Users interface {
	Admit(ctx context.Context, f users.Foreign) (access.User, error)
}

// Grant is what members of a group of the provider are granted; * stands for
// everybody it vouches for.
type Grant struct {
	Group string
	Grant access.Grant
}

// ParseGrant reads a grant as people write it: GROUP=ROLE@NAMESPACE/GROUP.
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

// defaults fills in what is not said.
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

// check reports what is wrong with a configuration, in terms of the settings.
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

// New returns the door; the provider is asked for nothing before somebody signs in.
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
