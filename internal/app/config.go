package app

import (
	"cmp"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/certs"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/overview"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/job"
)

// Config configures a server: where it works and who may connect to it.
type Config struct {
	// Data is the folder of the database and the secrets. One server uses it
	// at a time. Defaults to "orth-data".
	Data string
	// Database is the address of a database of PostgreSQL, postgres://user@host/database,
	// or of MySQL or MariaDB, mysql://user@host/database, perhaps with a password. Defaults
	// to SQLite in Data.
	Database redacted.Text
	// Listen is the host and port for executors, programs and people.
	// Defaults to "127.0.0.1:8080".
	Listen string
	// ExecutorToken is the key from which the token of each group is derived; it is never
	// shown, and credential.CheckServer has its rules. Defaults to the one in
	// Data/executor.token, which is made at the first start.
	ExecutorToken redacted.Text
	// AdmitSharedToken is a token that executors of all groups show, and are shown, as
	// those of XXL-JOB up to 3.4 do, during a migration. Defaults to none.
	AdmitSharedToken redacted.Text
	// AdmitDefaultTokens are well-known tokens, and executorauth.NoToken, that are accepted
	// from executors as AdmitSharedToken is, at most executorauth.MaxAdmitted: every client
	// that reaches the server has them. Defaults to none.
	AdmitDefaultTokens []string
	// APIToken is the secret of the API and the command line. Defaults to the
	// one in Data/api.token, which is made at the first start.
	APIToken redacted.Text
	// APITokenFile is the path of APIToken for the command line, when it is not in the data
	// folder. Defaults to Data/api.token.
	APITokenFile string
	// NoFirstUser makes no administrator when there is no user: programs with tokens are
	// all that comes in. Defaults to false.
	NoFirstUser bool
	// FirstUser is called once, when the first start has created an administrator; the
	// password must not get into a log. Defaults to nil.
	FirstUser func(FirstUser)
	// AuditFile is a file that each line of the audit log is appended to as well, as JSON.
	// It is created again after it was moved away. Defaults to none.
	AuditFile string
	// TLS encrypts connections.
	TLS TLS
	// LeaseTTL is how long an executor is thought alive after a beat.
	// Defaults to 90 s.
	LeaseTTL time.Duration
	// ExecutorTimeout bounds a call to an executor. Defaults to 3 s.
	ExecutorTimeout time.Duration
	// CatchUpRate bounds the runs that are made up for after an outage or a
	// pause and start in a second. Defaults to 100.
	CatchUpRate int
	// PerGroup bounds the tasks of one group that are on their way to its
	// executors at once. Defaults to no bound of its own.
	PerGroup int
	// KeepRuns is how long runs are kept after their end, unless their job overrides it,
	// and backfills: at least a minute. Defaults to 30 days.
	KeepRuns time.Duration
	// LogStore is where the text of logs is kept. Defaults to LogsInFolder.
	LogStore LogStore
	// LogFolder is the folder for it. Defaults to Data/logs.
	LogFolder string
	// LogS3 is the bucket for it.
	LogS3 LogS3
	// LogMasks are regular expressions of what is hidden in logs, and
	// NoLogMaskDefaults leaves out what is hidden without them: passwords, tokens and
	// keys that are known by their shape. The server's own secrets are always hidden.
	LogMasks          []string
	NoLogMaskDefaults bool
	// KeepLogs is how long the text of logs is kept after the end of its attempt, unless
	// the job overrides it: at least a minute. Defaults to 30 days.
	KeepLogs time.Duration
	// LogMaxBytes is how much text is kept of an attempt's log, unless the job overrides
	// it. Defaults to 64 MiB.
	LogMaxBytes int64
	// LogMaxTotal is how much may be stored of all logs: the oldest go first.
	// Defaults to 20 GiB.
	LogMaxTotal int64
	// PublicURL is where people reach this server; messages about alarms link to it.
	// Defaults to what is known without it: see siteAddress.
	PublicURL string
	// XXLJobZone is the IANA name of the zone of cron schedules that scripts of the old
	// admin and executors of XXL-JOB make, and of the times they name: the one of the
	// old admin's machine. Defaults to UTC.
	XXLJobZone string
	// NoConsole leaves the web console out. Defaults to false.
	NoConsole bool
	// Imports takes over what other schedulers have. Defaults to nil: nothing is.
	Imports overview.Imports
	// AlarmAllow names the hosts that messages about alarms may be sent to, as
	// egress.Config has them; AlarmAllowPrivate allows those of private networks and of
	// this machine too, but for addresses of metadata services. Default to public hosts.
	AlarmAllow        []string
	AlarmAllowPrivate bool
	// Profiles lets those who may do everything take profiles of the process over the
	// API. Defaults to false.
	Profiles bool
	// Tracing makes traces of runs.
	Tracing Tracing
	// MetricsListen is the host and port of a second listener that shows the figures
	// to everybody who reaches it. Defaults to none: the figures are
	// at /metrics of Listen, for those who may see the whole server.
	MetricsListen string
	// SignIn configures the sign-in of people.
	SignIn SignIn
	// ServerName is how people call this server among those of its database. Defaults to
	// the name of the machine with the port of Listen.
	ServerName string
	// DrainFor bounds an orderly stop. Defaults to 15 s.
	DrainFor time.Duration
	// Sources are the origins of settings, by their names: those without one are defaults.
	// SettingsFile is the file of those that came from one.
	Sources      map[string]api.Source
	SettingsFile string
	// Guesses is how many wrong tokens from one network are answered as such. Defaults to
	// tries.Tokens.
	Guesses tries.Pace
	// Version is shown to people.
	Version string
	// Logger gets what an operator should know. Defaults to slog.Default.
	Logger *slog.Logger
}

func (c *Config) defaults() {
	if c.Data == "" {
		c.Data = "orth-data"
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:8080"
	}
	if c.APITokenFile == "" {
		c.APITokenFile = filepath.Join(c.Data, "api.token")
	}
	if c.LeaseTTL <= 0 {
		c.LeaseTTL = 90 * time.Second
	}
	if c.ExecutorTimeout <= 0 {
		c.ExecutorTimeout = 3 * time.Second
	}
	if c.KeepRuns == 0 {
		c.KeepRuns = 30 * 24 * time.Hour
	}
	if c.LogStore == "" {
		c.LogStore = LogsInFolder
	}
	if c.KeepLogs == 0 {
		c.KeepLogs = 30 * 24 * time.Hour
	}
	if c.LogMaxBytes == 0 {
		c.LogMaxBytes = 64 << 20
	}
	if c.LogMaxTotal == 0 {
		c.LogMaxTotal = 20 << 30
	}
	if c.DrainFor <= 0 {
		c.DrainFor = 15 * time.Second
	}
	c.SignIn.defaults()
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
}

// validate checks what can be checked without touching the machine.
func (c *Config) validate() error {
	_, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return job.FieldErrorf("listen", "%q is not host:port, such as 127.0.0.1:8080", c.Listen)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return job.FieldErrorf("listen", "%q is not a port between 0 and 65535", port)
	}
	if c.CatchUpRate < 0 || c.CatchUpRate > 100_000 {
		return job.FieldErrorf("catch-up-rate", "%d is not between 1 and 100000, or 0 for the default", c.CatchUpRate)
	}
	if c.PerGroup < 0 || c.PerGroup > 100_000 {
		return job.FieldErrorf("per-group", "%d is not between 1 and 100000, or 0 for no bound", c.PerGroup)
	}
	if c.KeepRuns < time.Minute || c.KeepRuns > job.MaxKeepFor {
		return job.FieldErrorf("keep-runs-for", "%s is not between 1m and %s", c.KeepRuns, job.MaxKeepFor)
	}
	if err := cmp.Or(c.checkDatabase(), c.checkLogs(), c.checkLogStore(), c.checkMasks()); err != nil {
		return err
	}
	if _, err := time.LoadLocation(c.XXLJobZone); err != nil || c.XXLJobZone == "Local" {
		return job.FieldErrorf("xxl-job-zone", "%q is not the IANA name of a time zone, such as Asia/Shanghai", c.XXLJobZone)
	}
	if err := cmp.Or(c.checkAlarms(), c.SignIn.check()); err != nil {
		return err
	}
	if err := certs.Check(c.TLS.Cert, c.TLS.Key, c.TLS.ClientCA); err != nil {
		return err
	}
	return executorauth.CheckAdmitted("admit-default-token", c.AdmitDefaultTokens)
}

// checkSecrets refuses to listen with secrets that protect nothing.
func (c *Config) checkSecrets() error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return job.FieldErrorf("listen", "%q is not host:port", c.Listen)
	}
	if err := credential.CheckServer("executor-token", c.ExecutorToken); err != nil {
		return err
	}
	if !c.AdmitSharedToken.IsZero() {
		if err := c.checkShared(host); err != nil {
			return err
		}
	}
	return credential.CheckBinding("api-token", c.APIToken, host)
}

// checkShared reports why a token must not be shared.
func (c *Config) checkShared(host string) error {
	const field = "admit-shared-token"
	if credential.WellKnown(c.AdmitSharedToken) {
		wrong := job.FieldErrorf(field, "is a well-known value that protects nothing")
		wrong.Hint = "executors that have nothing else yet are taken for the time of a migration with --admit-default-token"
		return wrong
	}
	return cmp.Or(credential.CheckGroup(field, c.AdmitSharedToken), credential.CheckBinding(field, c.AdmitSharedToken, host))
}
