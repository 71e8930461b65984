package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/secret"
)

// serverSettings are the settings of `orth server`.
type serverSettings struct {
	Data              string        `koanf:"data"`
	Listen            string        `koanf:"listen"`
	ExecutorToken     string        `koanf:"executor-token"`
	ExecutorTokenFile string        `koanf:"executor-token-file"`
	APITokenFile      string        `koanf:"api-token-file"`
	LeaseTTL          time.Duration `koanf:"lease-ttl"`
	ExecutorTimeout   time.Duration `koanf:"executor-timeout"`
	KeepRunsFor       time.Duration `koanf:"keep-runs-for"`
	CatchUpRate       int           `koanf:"catch-up-rate"`
	PerGroup          int           `koanf:"per-group"`
	DrainFor          time.Duration `koanf:"drain-for"`
	logSettings       `koanf:",squash"`
}

func newServer(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Run a server: it plans jobs and sends them to executors",
		Long: `Run a server with an embedded SQLite database in its data folder.

The first start makes two secrets in the data folder: executor.token, which every
executor must know (XXL-JOB executors have it as their access token), and
api.token, which the command line uses. Each setting can stand in the file of
--config or in the environment (--lease-ttl is ORTH_LEASE_TTL) as well.

Ctrl-C, or SIGTERM, stops the server in order; a second one ends it at once.`,
		Example: `  orth server
  orth server --listen 0.0.0.0:8080 --data /var/lib/orth
  ORTH_EXECUTOR_TOKEN=… orth server --config /etc/orth/server.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s serverSettings
			if err := loadSettings(cmd, &s); err != nil {
				return err
			}
			server, err := s.open(version)
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Orth server %s answers at %s (data in %s).\n", version, server.URL(), s.Data)
			return server.Run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.String("data", "orth-data", "`folder` of the database and the secrets")
	f.String("listen", "127.0.0.1:8080", "`host:port` for executors, programs and people")
	f.String("executor-token", "", "secret that executors must know; better in a file or in ORTH_EXECUTOR_TOKEN")
	f.String("executor-token-file", "", "`file` with that secret (default executor.token in the data folder)")
	f.String("api-token-file", "", "`file` with the secret of the API (default api.token in the data folder)")
	f.Duration("lease-ttl", 90*time.Second, "how long an executor is thought alive after a beat")
	f.Duration("executor-timeout", 3*time.Second, "time limit of a call to an executor")
	f.Int("catch-up-rate", 100, "runs a second that are made up for after an outage or a pause")
	f.Int("per-group", 0, "most tasks of a group on their way to its executors at once (default no bound)")
	f.Duration("keep-runs-for", 30*24*time.Hour, "how long runs are kept after their end, unless their job says it")
	f.Duration("drain-for", 15*time.Second, "time limit of an orderly stop")
	logFlags(f)
	return cmd
}

// open makes the server of the settings.
func (s *serverSettings) open(version string) (*app.Server, error) {
	logger, err := s.logger()
	if err != nil {
		return nil, err
	}
	c := app.Config{
		Data: s.Data, Listen: s.Listen, ExecutorToken: secret.New(s.ExecutorToken), LeaseTTL: s.LeaseTTL,
		ExecutorTimeout: s.ExecutorTimeout, KeepRuns: s.KeepRunsFor, CatchUpRate: s.CatchUpRate,
		PerGroup: s.PerGroup, DrainFor: s.DrainFor, Version: version, Logger: logger,
	}
	if s.ExecutorTokenFile != "" {
		if c.ExecutorToken, err = secret.Load(s.ExecutorTokenFile); err != nil {
			return nil, fmt.Errorf("--executor-token-file: %w", err)
		}
	}
	if s.APITokenFile != "" {
		if c.APIToken, err = secret.Load(s.APITokenFile); err != nil {
			return nil, fmt.Errorf("--api-token-file: %w", err)
		}
		c.APITokenFile = s.APITokenFile
	}
	return app.New(c)
}
