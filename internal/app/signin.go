package app

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/console"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/oidc"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/accounts"
	"github.com/orthd/orth/internal/rest/browser"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// SignIn configures sign-in with browsers.
type SignIn struct {
	// SessionFor is the lifetime of a session, and SessionIdle its idle timeout: from a
	// minute to 30 days. Default to 12 h and 1 h.
	SessionFor, SessionIdle time.Duration
	// AllowPlain lets people sign in over connections that are not encrypted and come
	// from other machines. Defaults to false.
	AllowPlain bool
	// AllowHosts are further host names, without ports, by which the server is reached in
	// addition to that of PublicURL. Defaults to none.
	AllowHosts []string
	// TrustedProxies are addresses and ranges whose X-Forwarded-For is believed.
	// Defaults to none.
	TrustedProxies []string
	// OIDC is a provider of identities. Without an issuer there is none.
	OIDC OIDC
}

// OIDC names a provider of identities.
type OIDC struct {
	Issuer, ClientID string
	ClientSecret     redacted.Text
	// Scopes, NameClaim, GroupsClaim and Label have the defaults of oidc.Config.
	Scopes                        []string
	NameClaim, GroupsClaim, Label string
	// Grants are what its groups stand for: GROUP=ROLE@NAMESPACE/GROUP.
	Grants []string
	// AllowPrivate lets it be within a private network, or on this machine.
	AllowPrivate bool
}

// maxSession bounds how long a session may last.
const maxSession = 30 * 24 * time.Hour

func (c *SignIn) defaults() {
	c.SessionFor, c.SessionIdle = cmp.Or(c.SessionFor, 12*time.Hour), cmp.Or(c.SessionIdle, time.Hour)
}

// check reports what is wrong with the settings.
func (c *SignIn) check() error {
	for field, d := range map[string]time.Duration{"session-ttl": c.SessionFor, "session-idle-timeout": c.SessionIdle} {
		if d < time.Minute || d > maxSession {
			return job.FieldErrorf(field, "%s is not between %s and %s", d, time.Minute, maxSession)
		}
	}
	if _, err := c.proxies(); err != nil {
		return err
	}
	if c.OIDC.Issuer == "" && (c.OIDC.ClientID != "" || len(c.OIDC.Grants) > 0) {
		return job.FieldErrorf("oidc-issuer", "is missing: the other settings of --oidc belong to it")
	}
	return nil
}

func (c *SignIn) proxies() ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range c.TrustedProxies {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			ip, err := netip.ParseAddr(text)
			if err != nil {
				return nil, job.FieldErrorf("trusted-proxy", "%q is not an address or a range such as 10.0.0.0/8", text)
			}
			prefix = netip.PrefixFrom(ip, ip.BitLen())
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}

// signing is what people sign in with.
type signing struct {
	sessions *users.Sessions
	ways     accounts.SignIn
	browser  browser.Config
	provider *oidc.Door // nil for none
	failures *users.Failures
}

// newSigning builds the rooms of sessions and sign-ins.
func (s *Server) newSigning(log func(room string) *slog.Logger) (*signing, error) {
	c, logger := &s.config.SignIn, log("identity")
	proxies, err := c.proxies()
	if err != nil {
		return nil, err
	}
	failures := users.NewFailures(s.store, s.users.Known, logger)
	g := &signing{
		failures: failures,
		sessions: users.NewSessions(users.SessionConfig{
			Store: s.store, Users: s.users, LastFor: c.SessionFor, IdleFor: c.SessionIdle, Logger: logger,
		}),
		ways:    accounts.SignIn{Passwords: users.NewSigning(s.users, s.store, s.sealer, logger), Failures: failures, SignedIn: s.alarms.site.signedIn},
		browser: browser.Config{PublicURL: s.config.PublicURL, Hosts: c.AllowHosts, PlainSignIn: c.AllowPlain, Proxies: proxies},
	}
	if c.OIDC.Issuer == "" {
		return g, nil
	}
	grants := make([]oidc.Grant, len(c.OIDC.Grants))
	for i, text := range c.OIDC.Grants {
		if grants[i], err = oidc.ParseGrant(text); err != nil {
			return nil, err
		}
	}
	g.provider, err = oidc.New(oidc.Config{
		Issuer: c.OIDC.Issuer, ClientID: c.OIDC.ClientID, ClientSecret: c.OIDC.ClientSecret, Redirect: s.redirect(), Scopes: c.OIDC.Scopes,
		NameClaim: c.OIDC.NameClaim, GroupsClaim: c.OIDC.GroupsClaim, Grants: grants, Label: c.OIDC.Label, Private: c.OIDC.AllowPrivate,
		Users: s.users, Logger: log("oidc"),
	})
	if err != nil {
		return nil, err
	}
	g.ways.Provider, g.ways.Page, g.ways.Home = provider{g.provider}, s.config.signInPage(), s.config.publicPath()+"/"
	return g, nil
}

// signInPage is the path of the console's page where people sign in; empty without a
// console.
func (c *Config) signInPage() string {
	if c.NoConsole {
		return ""
	}
	return c.publicPath() + console.Prefix + "sign-in"
}

// redirect is the URL to which an identity provider returns browsers; empty when the
// address of this server is not configured.
func (s *Server) redirect() string {
	base := strings.TrimRight(s.config.PublicURL, "/")
	if host, _, err := net.SplitHostPort(s.config.Listen); base == "" && err == nil && credential.Loopback(host) {
		base = s.URL()
	}
	if base == "" {
		return ""
	}
	return base + accounts.CallbackPath
}

// run is the loop of sessions; at its end the provider's connections go too.
func (g *signing) run(ctx context.Context) error {
	if g.provider != nil {
		defer g.provider.Close()
	}
	return g.sessions.Run(ctx)
}

// provider is the door as the API sees it.
type provider struct{ *oidc.Door }

// Finish implements rest.Provider.
func (p provider) Finish(ctx context.Context, keep redacted.Text, a accounts.Answer) (access.User, error) {
	return p.Door.Finish(ctx, keep, oidc.Answer(a))
}
