package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/job"
)

// executorSettings are the settings of `orth executor`.
type executorSettings struct {
	Servers     []string      `koanf:"servers"`
	Group       string        `koanf:"group"`
	Token       string        `koanf:"executor-token"`
	TokenFile   string        `koanf:"executor-token-file"`
	Listen      string        `koanf:"listen"`
	Address     string        `koanf:"address"`
	Data        string        `koanf:"data"`
	Scripts     bool          `koanf:"scripts"`
	LogDays     int           `koanf:"log-days"`
	DrainFor    time.Duration `koanf:"drain-for"`
	logSettings `koanf:",squash"`
}

func newExecutor() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "executor",
		Short: "Run an executor: it runs shell scripts for servers",
		Long: `Run an executor. It registers with the servers, takes tasks, keeps them in a
durable queue in its data folder, runs them and reports what became of them.

It runs the scripts that jobs bring along only with --scripts: then whoever may
edit jobs may run any command on this machine. To run Go functions, build the
executor into your program with the package github.com/orthd/orth/executor.

Servers may be Orth servers or admins of the XXL-JOB family, named with their
context path. Each setting can stand in the file of --config or in the environment
(--log-days is ORTH_LOG_DAYS) as well.

Ctrl-C, or SIGTERM, says farewell to the servers, lets running tasks end, and
keeps the rest for the next start.`,
		Example: `  orth executor --servers http://127.0.0.1:8080 --group reports \
      --executor-token-file orth-data/executor.token --scripts`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s executorSettings
			if err := loadSettings(cmd, &s); err != nil {
				return err
			}
			e, err := s.open()
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Orth executor of group %s listens on %s (data in %s).\n", s.Group, s.Listen, s.Data)
			return e.Run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringSlice("servers", []string{"http://127.0.0.1:8080"}, "base `URL`s of the servers, tried in this order")
	f.String("group", "", "app name: executors of one group run the same jobs (required)")
	f.String("executor-token", "", "secret that the servers know; better in a file or in ORTH_EXECUTOR_TOKEN")
	f.String("executor-token-file", "", "`file` with that secret")
	f.String("listen", "127.0.0.1:9999", "`host:port` that servers call")
	f.String("address", "", "`URL` under which servers reach --listen (default http:// and --listen)")
	f.String("data", "orth-executor", "`folder` of the queue, the outbox, run logs and scripts")
	f.Bool("scripts", false, "run the scripts that jobs bring along")
	f.Int("log-days", 30, "days to keep run logs; -1 keeps them for ever")
	f.Duration("drain-for", 20*time.Second, "how long running tasks may take to end after a stop")
	logFlags(f)
	return cmd
}

func (s *executorSettings) open() (*executor.Executor, error) {
	logger, err := s.logger()
	if err != nil {
		return nil, err
	}
	token := s.Token
	if s.TokenFile != "" {
		text, err := secret.Load(s.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("--executor-token-file: %w", err)
		}
		token = text.Reveal()
	}
	e, err := executor.New(executor.Config{
		Servers: s.Servers, Token: token, Group: s.Group, Listen: s.Listen, Address: s.Address, Data: s.Data,
		Scripts: s.Scripts, LogDays: s.LogDays, DrainFor: s.DrainFor, Logger: logger,
	})
	if wrong, ok := errors.AsType[*job.Error](err); ok && wrong.Field == "token" {
		wrong.Field = "executor-token" // as the flag is called
	}
	return e, err
}
