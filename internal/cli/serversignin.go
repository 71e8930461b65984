package cli

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/credential"
)

// signInSettings is the part of the server's settings about people who sign in.
type signInSettings struct {
	SessionFor       time.Duration `koanf:"session-for"`
	SessionIdle      time.Duration `koanf:"session-idle"`
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
	f.Duration("session-for", 12*time.Hour, "how long a browser stays signed in")
	f.Duration("session-idle", time.Hour, "how long one stays signed in that nobody uses")
	f.Bool("allow-plain-sign-in", false, "take passwords over connections that are not encrypted, from other machines too")
	f.StringSlice("allow-host", nil, "`name`, without a port, that browsers may reach this server by, beside that of --public-url")
	f.StringSlice("trusted-proxy", nil, "`address` or range of a proxy that is believed whom it speaks for (X-Forwarded-For)")
	f.String("oidc-issuer", "", "`address` of a provider of identities (OpenID Connect) that people sign in with; it needs --public-url")
	f.String("oidc-client-id", "", "what the provider knows this server by")
	f.String("oidc-client-secret-file", "", "`file` with the secret that the provider knows it by (default none: a public client)")
	f.StringSlice("oidc-scopes", []string{"openid", "profile", "email"}, "what the provider is asked for")
	f.String("oidc-name-claim", "preferred_username", "claim with the name that an account gets at the first sign-in")
	f.String("oidc-groups-claim", "groups", "claim with the groups of a person, or the path to it, such as realm_access.roles")
	f.StringArray("oidc-grant", nil, "what members of a group of the provider may do: `GROUP=ROLE@NAMESPACE/GROUP`, * for everybody; may be repeated")
	f.String("oidc-label", "", "what people call the provider (default its host)")
	f.Bool("oidc-allow-private", false, "let the provider be within a private network, or on this machine")
}

// signIn returns the settings as the server takes them.
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
