package daemon

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/credential"
)

// signInSettings holds the sign-in settings of the server.
type signInSettings struct {
	SessionFor       time.Duration `koanf:"session-ttl"`
	SessionIdle      time.Duration `koanf:"session-idle-timeout"`
	AllowPlainSignIn bool          `koanf:"allow-plain-sign-in"`
	AllowHost        []string      `koanf:"allow-host"`
	TrustedProxy     []string      `koanf:"trusted-proxy"`
	OIDCIssuer       string        `koanf:"oidc-issuer"`
	OIDCClientID     string        `koanf:"oidc-client-id"`
	OIDCSecretFile   string        `koanf:"oidc-client-secret-file"`
	OIDCScopes       []string      `koanf:"oidc-scopes"`
	OIDCNameClaim    string        `koanf:"oidc-name-claim"`
	OIDCGroupsClaim  string        `koanf:"oidc-groups-claim"`
	OIDCGrant        []string      `koanf:"oidc-grant"`
	OIDCLabel        string        `koanf:"oidc-label"`
	OIDCAllowPrivate bool          `koanf:"oidc-allow-private"`
}

func signInFlags(f *pflag.FlagSet) {
	f.Duration("session-ttl", 12*time.Hour, "maximum lifetime of a browser session")
	f.Duration("session-idle-timeout", time.Hour, "idle timeout of a browser session")
	f.Bool("allow-plain-sign-in", false, "accept passwords over unencrypted connections from other machines")
	f.StringSlice("allow-host", nil, "additional host `name`, without a port, that browsers may use for this server")
	f.StringSlice("trusted-proxy", nil, "`address` or range of a proxy whose X-Forwarded-For header is trusted")
	f.String("oidc-issuer", "", "`address` of an OpenID Connect provider for sign-in; requires --public-url")
	f.String("oidc-client-id", "", "client id of this server at the provider")
	f.String("oidc-client-secret-file", "", "`file` with the client secret (default none: a public client)")
	f.StringSlice("oidc-scopes", []string{"openid", "profile", "email"}, "scopes to request")
	f.String("oidc-name-claim", "preferred_username", "claim with the user name for new accounts")
	f.String("oidc-groups-claim", "groups", "claim with the groups of a user, or its path, such as realm_access.roles")
	f.StringArray("oidc-grant", nil, "role for members of a provider group as `GROUP=ROLE@NAMESPACE/GROUP`, * for all users; may be repeated")
	f.String("oidc-label", "", "display name of the provider (default its host)")
	f.Bool("oidc-allow-private", false, "allow a provider in a private network or on this machine")
}

// signIn returns the sign-in configuration of the server.
func (s *signInSettings) signIn() (app.SignIn, error) {
	c := app.SignIn{
		SessionFor: s.SessionFor, SessionIdle: s.SessionIdle, AllowPlain: s.AllowPlainSignIn,
		AllowHosts: s.AllowHost, TrustedProxies: s.TrustedProxy,
		OIDC: app.OIDC{
			Issuer: s.OIDCIssuer, ClientID: s.OIDCClientID, Scopes: s.OIDCScopes, NameClaim: s.OIDCNameClaim,
			GroupsClaim: s.OIDCGroupsClaim, Grants: s.OIDCGrant, Label: s.OIDCLabel, AllowPrivate: s.OIDCAllowPrivate,
		},
	}
	if s.OIDCSecretFile == "" {
		return c, nil
	}
	var err error
	if c.OIDC.ClientSecret, err = credential.Load(s.OIDCSecretFile); err != nil {
		return c, fmt.Errorf("--oidc-client-secret-file: %w", err)
	}
	return c, nil
}
