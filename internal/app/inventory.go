package app

import (
	"cmp"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/redacted"
)

// serverName returns the host's name with the port that is listened on.
func serverName(listen string) string {
	host, port, _ := net.SplitHostPort(listen)
	if name, err := os.Hostname(); err == nil && name != "" {
		host = name
	}
	return net.JoinHostPort(host, port)
}

// hiddenSecret stands for a secret that is set.
const hiddenSecret = "***"

// settings returns the settings in effect, in order of name. The table is written by hand,
// so that each setting is shown on purpose. A setting without a flag has the name that a
// flag would have.
func (c *Config) settings() []api.Setting {
	text := func(name, value string) api.Setting { return api.Setting{Name: name, Value: value} }
	list := func(name string, values []string) api.Setting { return text(name, strings.Join(values, ",")) }
	yes := func(name string, value bool) api.Setting { return text(name, strconv.FormatBool(value)) }
	number := func(name string, value int64) api.Setting { return text(name, strconv.FormatInt(value, 10)) }
	lasting := func(name string, value time.Duration) api.Setting { return text(name, value.String()) }
	hidden := func(name string, value redacted.Text) api.Setting {
		shown := ""
		if !value.IsZero() {
			shown = hiddenSecret
		}
		return api.Setting{Name: name, Value: shown, Secret: true}
	}
	o := &c.SignIn.OIDC
	all := []api.Setting{
		text("data", c.Data), hidden("db", c.Database), text("listen", c.Listen), text("server-name", c.ServerName), text("public-url", plainURL(c.PublicURL)),
		hidden("executor-token", c.ExecutorToken), hidden("api-token", c.APIToken), text("api-token-file", c.APITokenFile), text("audit-file", c.AuditFile),
		hidden("admit-shared-token", c.AdmitSharedToken), list("admit-default-token", c.AdmitDefaultTokens), yes("no-first-user", c.NoFirstUser), text("xxl-job-zone", c.XXLJobZone),
		text("tls-cert", c.TLS.Cert), text("tls-key", c.TLS.Key), text("tls-client-ca", c.TLS.ClientCA), text("tls-executor-ca", c.TLS.ExecutorCA),
		lasting("lease-ttl", c.LeaseTTL), lasting("executor-timeout", c.ExecutorTimeout), lasting("drain-timeout", c.DrainFor),
		number("catch-up-rate", int64(c.CatchUpRate)), number("per-group", int64(c.PerGroup)), lasting("keep-runs-for", c.KeepRuns),
		text("log-store", string(c.LogStore)), text("log-folder", c.LogFolder), lasting("keep-logs-for", c.KeepLogs),
		text("log-s3-url", plainURL(c.LogS3.URL)), text("log-s3-region", c.LogS3.Region), text("log-s3-access-key", c.LogS3.AccessKey),
		hidden("log-s3-secret-key", c.LogS3.SecretKey), text("log-s3-ca", c.LogS3.CA),
		list("log-mask", c.LogMasks), yes("log-mask-defaults", !c.NoLogMaskDefaults),
		number("log-max-bytes", c.LogMaxBytes), number("log-max-total", c.LogMaxTotal),
		list("alarm-allow", c.AlarmAllow), yes("alarm-allow-private", c.AlarmAllowPrivate),
		yes("console", !c.NoConsole), yes("pprof", c.Profiles), text("metrics-listen", c.MetricsListen),
		text("otlp-endpoint", plainURL(c.Tracing.Endpoint)), text("trace-ratio", strconv.FormatFloat(c.Tracing.Ratio, 'g', -1, 64)),
		lasting("session-ttl", c.SignIn.SessionFor), lasting("session-idle-timeout", c.SignIn.SessionIdle), yes("allow-plain-sign-in", c.SignIn.AllowPlain),
		list("allow-host", c.SignIn.AllowHosts), list("trusted-proxy", c.SignIn.TrustedProxies),
		text("oidc-issuer", plainURL(o.Issuer)), text("oidc-client-id", o.ClientID), hidden("oidc-client-secret", o.ClientSecret),
		list("oidc-scopes", o.Scopes), text("oidc-name-claim", o.NameClaim), text("oidc-groups-claim", o.GroupsClaim), text("oidc-label", o.Label),
		list("oidc-grant", o.Grants), yes("oidc-allow-private", o.AllowPrivate),
	}
	slices.SortFunc(all, func(a, b api.Setting) int { return strings.Compare(a.Name, b.Name) })
	for i := range all {
		c.sourced(&all[i])
	}
	return all
}

// sourced fills in the source of a setting. A secret that was read from a file has the
// source of the setting that names the file.
func (c *Config) sourced(s *api.Setting) {
	s.Source = c.Sources[s.Name]
	if s.Secret {
		s.Source = cmp.Or(c.Sources[s.Name+"-file"], s.Source)
	}
	if s.Source = cmp.Or(s.Source, api.FromDefault); s.Source == api.FromFile {
		s.File = c.SettingsFile
	}
}

// plainURL returns an address without the password that may stand in it, and without a
// query, in which there may be another one.
func plainURL(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return hiddenSecret // what cannot be read cannot be cleaned
	case u.User == nil && u.RawQuery == "" && u.Fragment == "":
		return address
	}
	if u.User != nil {
		u.User = url.User(hiddenSecret)
	}
	if u.RawQuery != "" {
		u.RawQuery = hiddenSecret
	}
	u.Fragment = ""
	shown, err := url.PathUnescape(u.String())
	if err != nil {
		return hiddenSecret
	}
	return shown
}
