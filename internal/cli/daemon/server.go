package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/internal/reconcile/imports"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
)

// serverSettings holds the settings of `orth server`.
type serverSettings struct {
	Data                 string        `koanf:"data"`
	DB                   string        `koanf:"db"`
	Listen               string        `koanf:"listen"`
	ExecutorToken        string        `koanf:"executor-token"`
	ExecutorTokenFile    string        `koanf:"executor-token-file"`
	AdmitSharedToken     string        `koanf:"admit-shared-token"`
	AdmitSharedTokenFile string        `koanf:"admit-shared-token-file"`
	APITokenFile         string        `koanf:"api-token-file"`
	TLSCert              string        `koanf:"tls-cert"`
	TLSKey               string        `koanf:"tls-key"`
	TLSClientCA          string        `koanf:"tls-client-ca"`
	TLSExecutorCA        string        `koanf:"tls-executor-ca"`
	AdmitDefaultToken    []string      `koanf:"admit-default-token"`
	LeaseTTL             time.Duration `koanf:"lease-ttl"`
	ExecutorTimeout      time.Duration `koanf:"executor-timeout"`
	KeepRunsFor          time.Duration `koanf:"keep-runs-for"`
	KeepLogsFor          time.Duration `koanf:"keep-logs-for"`
	LogStore             string        `koanf:"log-store"`
	LogFolder            string        `koanf:"log-folder"`
	LogS3URL             string        `koanf:"log-s3-url"`
	LogS3Region          string        `koanf:"log-s3-region"`
	LogS3AccessKey       string        `koanf:"log-s3-access-key"`
	LogS3SecretKey       string        `koanf:"log-s3-secret-key"`
	LogS3SecretFile      string        `koanf:"log-s3-secret-key-file"`
	LogS3CA              string        `koanf:"log-s3-ca"`
	LogMask              []string      `koanf:"log-mask"`
	LogMaskDefaults      bool          `koanf:"log-mask-defaults"`
	LogMaxBytes          string        `koanf:"log-max-bytes"`
	LogMaxTotal          string        `koanf:"log-max-total"`
	CatchUpRate          int           `koanf:"catch-up-rate"`
	PerGroup             int           `koanf:"per-group"`
	PublicURL            string        `koanf:"public-url"`
	NoFirstUser          bool          `koanf:"no-first-user"`
	XXLJobZone           string        `koanf:"xxl-job-zone"`
	Console              bool          `koanf:"console"`
	AlarmAllow           []string      `koanf:"alarm-allow"`
	AlarmAllowPrivate    bool          `koanf:"alarm-allow-private"`
	ServerName           string        `koanf:"server-name"`
	DrainFor             time.Duration `koanf:"drain-timeout"`
	serverWatching       `koanf:",squash"`
	signInSettings       `koanf:",squash"`
	logSettings          `koanf:",squash"`
	origins              origins
}

// NewServer returns the command orth server.
func NewServer(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Run a server that schedules jobs and dispatches runs to executors",
		Long: `Run a server with an embedded SQLite database in its data folder, or with the PostgreSQL, MySQL
or MariaDB database of --db, which several servers can share; see docs/operations.md.

The first start creates executor.token, api.token and secrets.key in the data folder. Orth
executors derive the token of their group from executor.token; third-party executors use a
group token from 'orth group token add'. The command line uses api.token. secrets.key encrypts
group tokens and secrets. See docs/credentials.md. The first start also creates an
administrator and prints the password once; see docs/users.md.

Each setting can also be set in the file of --config or in the environment (--lease-ttl is
ORTH_LEASE_TTL).

Ctrl-C or SIGTERM shuts the server down gracefully; a second signal stops it immediately.`,
		Example: `  orth server
  orth server --listen 0.0.0.0:8080 --data /var/lib/orth
  ORTH_EXECUTOR_TOKEN=… orth server --config /etc/orth/server.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s serverSettings
			var err error
			if s.origins, err = loadSettings(cmd, &s); err != nil {
				return kit.SettingsError(err)
			}
			server, err := s.open(version, cmd.OutOrStdout())
			if err != nil {
				return kit.SettingsError(err)
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Orth server %s listens at %s (data in %s%s).\n", version, server.URL(), s.Data, besides(&s, server))
			return server.Run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.String("data", "orth-data", "data `folder` with the database and the secrets")
	f.String("db", "", "`address` of a PostgreSQL database, postgres://user@host/database, or a MySQL or MariaDB database, mysql://user@host/database; pass one with a password in a file or in ORTH_DB (default SQLite in the data folder)")
	f.String("listen", "127.0.0.1:8080", "`host:port` to listen on")
	f.String("executor-token", "", "key from which group tokens are derived, orths_…; prefer a file or ORTH_EXECUTOR_TOKEN")
	f.String("executor-token-file", "", "`file` with the key (default executor.token in the data folder, created at the first start)")
	f.String("admit-shared-token", "", "token to accept from executors of all groups during a migration; prefer a file or ORTH_ADMIT_SHARED_TOKEN")
	f.String("admit-shared-token-file", "", "`file` with the shared token")
	f.StringSlice("admit-default-token", nil, "well-known `token` to accept from executors during a migration, such as default_token, or none for executors without a token")
	f.String("api-token-file", "", "`file` with the API token (default api.token in the data folder)")
	f.String("tls-cert", "", "PEM `file` with the certificate of this server; enables HTTPS")
	f.String("tls-key", "", "`file` with the private key of the certificate")
	f.String("tls-client-ca", "", "`file` with the CA certificates of executor certificates that replace group tokens in the native protocol")
	f.String("tls-executor-ca", "", "`file` with the CA certificates to verify executors")
	f.Duration("lease-ttl", 90*time.Second, "lease of an executor after a heartbeat")
	f.Duration("executor-timeout", 3*time.Second, "timeout of a call to an executor")
	f.Int("catch-up-rate", 100, "maximum catch-up runs per second after an outage or a pause")
	f.Int("per-group", 0, "maximum tasks of a group in flight to its executors (default unlimited)")
	f.Duration("keep-runs-for", 30*24*time.Hour, "retention of finished runs, unless the job defines it")
	f.Duration("keep-logs-for", 30*24*time.Hour, "retention of logs after the end of their attempt, unless the job defines it; logs are deleted with their run")
	f.String("log-store", string(app.LogsInFolder), "log storage: folder, database or s3")
	f.String("log-folder", "", "`folder` of the log storage (default logs in the data folder)")
	f.String("log-s3-url", "", "bucket of the log storage, https://host[:port]/bucket/prefix; it must exist")
	f.String("log-s3-region", "", "region of the bucket (default reported by the storage)")
	f.String("log-s3-access-key", "", "access `key` of the bucket (default from the AWS credential chain: environment, file, role)")
	f.String("log-s3-secret-key", "", "secret `key` of the bucket; prefer a file or ORTH_LOG_S3_SECRET_KEY")
	f.String("log-s3-secret-key-file", "", "`file` with the secret key")
	f.String("log-s3-ca", "", "`file` with the CA certificates to verify the storage")
	f.StringArray("log-mask", nil, "RE2 `expression` to redact in logs and failure messages, or its groups; may be repeated")
	f.Bool("log-mask-defaults", true, "redact well-known forms of passwords, tokens and keys in logs")
	f.String("log-max-bytes", "64MiB", "maximum stored log size of an attempt, unless the job defines it")
	f.String("log-max-total", "20GiB", "total size limit of logs; the oldest are deleted first")
	f.String("public-url", "", "`address` of this server for browsers, used in links of alarm messages (default the one of the last administrator sign-in, else the listen address)")
	f.StringSlice("alarm-allow", nil, "`host` that alarm messages may be sent to: a name, *.name, an address or a range, with or without a port (default all public hosts)")
	f.Bool("alarm-allow-private", false, "also allow alarm messages to hosts in private networks and on this machine")
	f.String("xxl-job-zone", "", "time `zone`, such as Asia/Shanghai, of cron schedules created by scripts and executors of XXL-JOB (default UTC)")
	f.Bool("console", true, "serve the web console at /console/")
	f.Bool("no-first-user", false, "do not create an administrator at the first start; use tokens only")
	signInFlags(f)
	f.String("server-name", "", "unique `name` of this server in the cluster (default host name and port)")
	f.Duration("drain-timeout", 15*time.Second, "time limit of a graceful shutdown")
	serverWatchingFlags(f)
	logFlags(f)
	return cmd
}

// besides names an external database.
func besides(s *serverSettings, server *app.Server) string {
	if s.DB == "" {
		return ""
	}
	return ", database " + server.Database()
}

// welcome prints the initial password of the first administrator, once.
func welcome(out io.Writer) func(app.FirstUser) {
	return func(first app.FirstUser) {
		_, _ = fmt.Fprintf(out, `
First start: created an administrator.

  user      %s
  password  %s

It must be changed at the first sign-in. Until then it is also stored in %s.

`, first.Name, first.Password.Reveal(), first.File)
	}
}

// open creates the server of the settings. It prints one-time messages to out.
func (s *serverSettings) open(version string, out io.Writer) (*app.Server, error) {
	logger, err := s.logger()
	if err != nil {
		return nil, err
	}
	takes, err := newImporter()
	if err != nil {
		return nil, err
	}
	c := app.Config{
		Imports: takes,
		Data:    s.Data, Database: redacted.New(s.DB), Listen: s.Listen, ExecutorToken: redacted.New(s.ExecutorToken), AdmitSharedToken: redacted.New(s.AdmitSharedToken), LeaseTTL: s.LeaseTTL,
		ExecutorTimeout: s.ExecutorTimeout, KeepRuns: s.KeepRunsFor, KeepLogs: s.KeepLogsFor, CatchUpRate: s.CatchUpRate,
		TLS:      app.TLS{Cert: s.TLSCert, Key: s.TLSKey, ClientCA: s.TLSClientCA, ExecutorCA: s.TLSExecutorCA},
		LogStore: app.LogStore(s.LogStore), LogFolder: s.LogFolder,
		LogS3: app.LogS3{
			URL: s.LogS3URL, Region: s.LogS3Region, AccessKey: s.LogS3AccessKey, SecretKey: redacted.New(s.LogS3SecretKey), CA: s.LogS3CA,
		},
		LogMasks: s.LogMask, NoLogMaskDefaults: !s.LogMaskDefaults,
		AdmitDefaultTokens: s.AdmitDefaultToken, PerGroup: s.PerGroup, PublicURL: s.PublicURL, XXLJobZone: s.XXLJobZone, NoConsole: !s.Console, NoFirstUser: s.NoFirstUser, FirstUser: welcome(out),
		AlarmAllow: s.AlarmAllow, AlarmAllowPrivate: s.AlarmAllowPrivate, ServerName: s.ServerName, DrainFor: s.DrainFor, Version: version, Logger: logger,
		Sources: s.origins.of, SettingsFile: s.origins.file,
	}
	s.into(&c)
	if err := errors.Join(kit.ParseSize("log-max-bytes", s.LogMaxBytes, &c.LogMaxBytes),
		kit.ParseSize("log-max-total", s.LogMaxTotal, &c.LogMaxTotal)); err != nil {
		return nil, err
	}
	if c.SignIn, err = s.signIn(); err != nil {
		return nil, err
	}
	if s.AdmitSharedTokenFile != "" {
		if c.AdmitSharedToken, err = credential.Load(s.AdmitSharedTokenFile); err != nil {
			return nil, fmt.Errorf("--admit-shared-token-file: %w", err)
		}
	}
	if s.ExecutorTokenFile != "" {
		if c.ExecutorToken, err = credential.Load(s.ExecutorTokenFile); err != nil {
			return nil, fmt.Errorf("--executor-token-file: %w", err)
		}
	}
	if s.LogS3SecretFile != "" {
		if c.LogS3.SecretKey, err = credential.Load(s.LogS3SecretFile); err != nil {
			return nil, fmt.Errorf("--log-s3-secret-key-file: %w", err)
		}
	}
	if s.APITokenFile != "" {
		if c.APIToken, err = credential.Load(s.APITokenFile); err != nil {
			return nil, fmt.Errorf("--api-token-file: %w", err)
		}
		c.APITokenFile = s.APITokenFile
	}
	return app.New(c)
}

// newImporter returns the importer of other schedulers' databases. It can reach private
// networks, because only administrators may use it; cloud metadata addresses are blocked.
func newImporter() (*imports.Importer, error) {
	reach, err := egress.New(egress.Config{Private: true})
	if err != nil {
		return nil, err
	}
	return &imports.Importer{Read: func(ctx context.Context, wanted *api.NewImport) (xxlimport.Contents, error) {
		source, err := database.Open(wanted.Address, wanted.User, redacted.New(wanted.Password), reach.Dial)
		if err != nil {
			return xxlimport.Contents{}, err
		}
		defer func() { _ = source.Close() }()
		return source.Read(ctx, wanted.TablePrefix, wanted.Users)
	}}, nil
}

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
