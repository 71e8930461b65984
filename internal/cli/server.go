package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
)

// serverSettings are the settings of `orth server`.
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
	DrainFor             time.Duration `koanf:"drain-for"`
	serverWatching       `koanf:",squash"`
	signInSettings       `koanf:",squash"`
	logSettings          `koanf:",squash"`
	origins              origins
}

func newServer(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Run a server: it plans jobs and sends them to executors",
		Long: `Run a server with an embedded SQLite database in its data folder, or on the database of
--db, PostgreSQL, MySQL or MariaDB, which several servers can share;
docs/operations.md tells how.

The first start makes two secrets in the data folder: executor.token, of which
executors of Orth make the token of their group, and api.token, which the command
line uses; and a key, secrets.key, that tokens of groups are sealed with. Executors of
other makes show a token of their group, made with 'orth group token add'. docs/credentials.md tells how they are kept and changed. It
also makes an administrator, and prints the password once; docs/users.md tells more.

Each setting can stand in the file of --config or in the environment (--lease-ttl is
ORTH_LEASE_TTL) as well.

Ctrl-C, or SIGTERM, stops the server in order; a second one ends it at once.`,
		Example: `  orth server
  orth server --listen 0.0.0.0:8080 --data /var/lib/orth
  ORTH_EXECUTOR_TOKEN=… orth server --config /etc/orth/server.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s serverSettings
			var err error
			if s.origins, err = loadSettings(cmd, &s); err != nil {
				return beforeStart(err)
			}
			server, err := s.open(version, cmd.OutOrStdout())
			if err != nil {
				return beforeStart(err)
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Orth server %s answers at %s (data in %s%s).\n", version, server.URL(), s.Data, besides(&s, server))
			return server.Run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.String("data", "orth-data", "`folder` of the database and the secrets")
	f.String("db", "", "`address` of a database of PostgreSQL, postgres://user@host/database, or of MySQL or MariaDB, mysql://user@host/database; one with a password is better in a file or in ORTH_DB (default SQLite in the data folder)")
	f.String("listen", "127.0.0.1:8080", "`host:port` for executors, programs and people")
	f.String("executor-token", "", "key that the token of each group is made of, orths_…; better in a file or in ORTH_EXECUTOR_TOKEN")
	f.String("executor-token-file", "", "`file` with that key (default executor.token in the data folder, made at the first start)")
	f.String("admit-shared-token", "", "token to take from executors of all groups during a migration; better in a file or in ORTH_ADMIT_SHARED_TOKEN")
	f.String("admit-shared-token-file", "", "`file` with that token")
	f.StringSlice("admit-default-token", nil, "well-known `token` to take from executors during a migration, such as default_token, or none from those that show none")
	f.String("api-token-file", "", "`file` with the secret of the API (default api.token in the data folder)")
	f.String("tls-cert", "", "`file` with the certificate of this server, in PEM form; it serves HTTPS then")
	f.String("tls-key", "", "`file` with the certificate's key")
	f.String("tls-client-ca", "", "`file` with the authorities whose certificates stand for a group's token in the native protocol")
	f.String("tls-executor-ca", "", "`file` with the authorities that executors' certificates are checked with")
	f.Duration("lease-ttl", 90*time.Second, "how long an executor is thought alive after a beat")
	f.Duration("executor-timeout", 3*time.Second, "time limit of a call to an executor")
	f.Int("catch-up-rate", 100, "runs a second that are made up for after an outage or a pause")
	f.Int("per-group", 0, "most tasks of a group on their way to its executors at once (default no bound)")
	f.Duration("keep-runs-for", 30*24*time.Hour, "how long runs are kept after their end, unless their job says it")
	f.Duration("keep-logs-for", 30*24*time.Hour, "how long the text of logs is kept after the end of its attempt, unless its job says it; it goes with its run")
	f.String("log-store", string(app.LogsInFolder), "where the text of logs is kept: folder, database or s3")
	f.String("log-folder", "", "`folder` for it (default logs in the data folder)")
	f.String("log-s3-url", "", "bucket for it, https://host[:port]/bucket/prefix; it must be there")
	f.String("log-s3-region", "", "region of the bucket (default what the store says)")
	f.String("log-s3-access-key", "", "access `key` of the bucket (default as AWS' own tools find it: environment, file, role)")
	f.String("log-s3-secret-key", "", "secret `key` of the bucket; better in a file or in ORTH_LOG_S3_SECRET_KEY")
	f.String("log-s3-secret-key-file", "", "`file` with that secret key")
	f.String("log-s3-ca", "", "`file` with the authorities that the store's certificate is checked with")
	f.StringArray("log-mask", nil, "regular `expression` (RE2) of what is hidden in logs and in messages of failures, or its groups; may be repeated")
	f.Bool("log-mask-defaults", true, "hide passwords, tokens and keys in logs that are known by their shape")
	f.String("log-max-bytes", "64MiB", "most text that is kept of an attempt's log, unless its job says it")
	f.String("log-max-total", "20GiB", "most space of all logs; the oldest go first")
	f.String("public-url", "", "`address` at which people reach this server; messages about alarms link to it (default the one by which an administrator last signed in with a browser, else the one it listens at)")
	f.StringSlice("alarm-allow", nil, "`host` that messages about alarms may be sent to: a name, *.name, an address or a range, with or without a port (default all public ones)")
	f.Bool("alarm-allow-private", false, "send messages about alarms to hosts of private networks and of this machine too")
	f.String("xxl-job-zone", "", "time `zone`, such as Asia/Shanghai, of the cron schedules that scripts and executors of XXL-JOB make (default UTC)")
	f.Bool("console", true, "serve the web console at /console/")
	f.Bool("no-first-user", false, "make no administrator when there is no user yet, for who only uses tokens")
	signInFlags(f)
	f.String("server-name", "", "`name` of this server among those of its database (default the machine's name with the port)")
	f.Duration("drain-for", 15*time.Second, "time limit of an orderly stop")
	serverWatchingFlags(f)
	logFlags(f)
	return cmd
}

// besides names a database that is not in the data folder.
func besides(s *serverSettings, server *app.Server) string {
	if s.DB == "" {
		return ""
	}
	return ", database " + server.Database()
}

// welcome tells the password of the user that the first start has made, once.
func welcome(out io.Writer) func(app.FirstUser) {
	return func(first app.FirstUser) {
		_, _ = fmt.Fprintf(out, `
This is the first start: there is an administrator now.

  user      %s
  password  %s

It has to be changed at the first sign-in. Until then it is also in %s.

`, first.Name, first.Password.Reveal(), first.File)
	}
}

// open makes the server of the settings. What it says once goes to out.
func (s *serverSettings) open(version string, out io.Writer) (*app.Server, error) {
	logger, err := s.logger()
	if err != nil {
		return nil, err
	}
	takes, err := imports()
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
	if err := errors.Join(readSize("log-max-bytes", s.LogMaxBytes, &c.LogMaxBytes),
		readSize("log-max-total", s.LogMaxTotal, &c.LogMaxTotal)); err != nil {
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
