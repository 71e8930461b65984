package app

import (
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/job"
)

// Config says where a server works and who may talk to it.
type Config struct {
	// Data is the folder of the database and the secrets. One server uses it
	// at a time. Defaults to "orth-data".
	Data string
	// Listen is the host and port for executors, programs and people.
	// Defaults to "127.0.0.1:8080".
	Listen string
	// ExecutorToken is the secret that executors must know. Defaults to the
	// one in Data/executor.token, which is made at the first start.
	ExecutorToken secret.Text
	// APIToken is the secret of the API and the command line. Defaults to the
	// one in Data/api.token, which is made at the first start.
	APIToken secret.Text
	// APITokenFile tells the command line where APIToken is kept, when it is
	// not in the data folder. Defaults to Data/api.token.
	APITokenFile string
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
	// KeepRuns is how long runs are kept after their end, when their job does
	// not say, and backfills: at least a minute. Defaults to 30 days.
	KeepRuns time.Duration
	// DrainFor bounds an orderly stop. Defaults to 15 s.
	DrainFor time.Duration
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
	if c.DrainFor <= 0 {
		c.DrainFor = 15 * time.Second
	}
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
	return nil
}

// checkSecrets refuses to listen with secrets that protect nothing.
func (c *Config) checkSecrets() error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return job.FieldErrorf("listen", "%q is not host:port", c.Listen)
	}
	if err := secret.CheckBinding("executor-token", c.ExecutorToken, host); err != nil {
		return err
	}
	return secret.CheckBinding("api-token", c.APIToken, host)
}
