package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/job"
)

// executorSettings holds the settings of `orth executor`.
type executorSettings struct {
	Servers   []string      `koanf:"servers"`
	Dialect   string        `koanf:"dialect"`
	Pull      bool          `koanf:"pull"`
	Group     string        `koanf:"group"`
	Labels    []string      `koanf:"labels"`
	Token     string        `koanf:"executor-token"`
	TokenFile string        `koanf:"executor-token-file"`
	OfGroup   string        `koanf:"group-token"`
	OfFile    string        `koanf:"group-token-file"`
	Admit     bool          `koanf:"admit-default-token"`
	Listen    string        `koanf:"listen"`
	Address   string        `koanf:"address"`
	Data      string        `koanf:"data"`
	Observe   string        `koanf:"metrics-listen"`
	OTLP      string        `koanf:"otlp-endpoint"`
	DrainFor  time.Duration `koanf:"drain-timeout"`
	Drain     string        `koanf:"drain"`

	Scripts      bool          `koanf:"scripts"`
	Interpreters []string      `koanf:"interpreters"`
	Commands     []string      `koanf:"commands"`
	CommandDirs  []string      `koanf:"command-dirs"`
	CommandEnv   []string      `koanf:"command-env"`
	KeepEnv      []string      `koanf:"keep-env"`
	RunAs        string        `koanf:"run-as"`
	Isolation    string        `koanf:"isolation"`
	PrivateTemp  bool          `koanf:"private-temp"`
	KillGrace    time.Duration `koanf:"kill-grace"`
	MaxMemory    string        `koanf:"max-memory"`
	MaxProcesses int           `koanf:"max-processes"`
	MaxCPU       time.Duration `koanf:"max-cpu"`
	MaxFiles     int           `koanf:"max-files"`
	MaxFileSize  string        `koanf:"max-file-size"`

	Calls       bool     `koanf:"calls"`
	CallHosts   []string `koanf:"call-hosts"`
	CallPrivate bool     `koanf:"call-private"`
	CallSecrets string   `koanf:"call-secrets"`

	MaxRunning  int           `koanf:"max-running"`
	MaxWaiting  int           `koanf:"max-waiting"`
	IdleAfter   time.Duration `koanf:"idle-after"`
	Grace       time.Duration `koanf:"grace"`
	MaxOutcomes int           `koanf:"max-outcomes"`
	RememberFor time.Duration `koanf:"remember-for"`
	DeadFor     time.Duration `koanf:"keep-dead-letters-for"`

	LogDays int    `koanf:"log-days"`
	LogSize string `koanf:"log-size"`
	RunSize string `koanf:"log-run-size"`

	TLSCert     string `koanf:"tls-cert"`
	TLSKey      string `koanf:"tls-key"`
	TLSClientCA string `koanf:"tls-client-ca"`
	TLSServerCA string `koanf:"tls-server-ca"`
	logSettings `koanf:",squash"`

	traces []lifecycle.Part // exports spans; set by open
}

// NewExecutor returns the command orth executor.
func NewExecutor() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "executor",
		Short: "Run an executor that runs scripts, commands and HTTP calls",
		Long: `Run an executor. It registers with the servers, accepts tasks into a durable queue in
its data folder, runs them and reports their outcomes.

It runs scripts only with --scripts, programs only with --commands, and HTTP calls only
with --calls: every user who can edit jobs can use them. To run Go functions, embed the
executor into your program with the package github.com/orthd/orth/executor.

The servers are Orth servers or XXL-JOB admins, given with their context path. They form
one installation; the executor uses the first one that responds. Each setting can also
be set in the file of --config or in the environment (--log-days is ORTH_LOG_DAYS).

Ctrl-C or SIGTERM stops accepting tasks, waits for running tasks, and keeps queued tasks
for the next start (--drain return hands them back to the servers).

See docs/executor.md for details.`,
		Example: `  orth executor --servers http://127.0.0.1:8080 --group reports \
      --executor-token-file orth-data/executor.token --scripts
  orth executor --group ops --commands /usr/bin/rsync,/usr/bin/pg_dump --max-memory 512MiB
  orth executor --group hooks --calls --call-hosts '*.example.com' --metrics-listen 127.0.0.1:9990`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s executorSettings
			if _, err := loadSettings(cmd, &s); err != nil {
				return kit.SettingsError(err)
			}
			e, logger, err := s.open()
			if err != nil {
				return kit.SettingsError(err)
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Orth executor of group %s %s (data in %s).\n", s.Group, s.where(), s.Data)
			return s.run(cmd.Context(), e, logger)
		},
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringSlice("servers", []string{"http://127.0.0.1:8080"}, "base `URL`s of the servers, tried in this order")
	s.String("dialect", "auto", "protocol `dialect` of the servers: xxl-job (up to 3.4), xxl-job-3.5, orth-java, native (Orth's own) or auto; --servers orth-java=URL sets it for one server")
	s.Bool("pull", false, "fetch tasks over outgoing connections instead of listening on a port; implies the native dialect")
	s.String("group", "", "app name of the group; all executors of a group run the same jobs (required)")
	s.StringSlice("labels", nil, "`key=value` labels that jobs can select, such as zone=eu; weight=3 is used by the route weighted")
	s.String("executor-token", "", "shared token, or the server key that the group token is derived from; prefer a file or ORTH_EXECUTOR_TOKEN")
	s.String("executor-token-file", "", "`file` with the executor token, such as executor.token in the data folder of the server")
	s.String("group-token", "", "group token to authenticate with instead; servers may present either token; prefer a file or ORTH_GROUP_TOKEN")
	s.String("group-token-file", "", "`file` with the group token printed by 'orth group token add'")
	s.Bool("admit-default-token", false, "allow a well-known --executor-token such as default_token, or none, during a migration")
	s.String("listen", "127.0.0.1:9999", "`host:port` that servers call")
	s.String("address", "", "`URL` at which servers reach this executor (default http:// and --listen)")
	s.String("data", "orth-executor", "data `folder` with the queue, the outbox, run logs and scripts")
	s.String("metrics-listen", "", "`host:port` that serves /metrics and /healthz (default none)")
	otlpFlag(s)
	s.Duration("drain-timeout", 20*time.Second, "time limit for running tasks during shutdown")
	s.String("drain", "keep", "handling of waiting tasks during shutdown: `keep` them on disk, or return them to the servers")
	executorWorkFlags(s)
	executorLimitFlags(s)
	logFlags(s)
	return cmd
}

// where describes how servers reach the executor.
func (s *executorSettings) where() string {
	if s.Pull {
		return "pulls from " + strings.Join(s.Servers, ", ")
	}
	return "listens on " + s.Listen
}

// executorWorkFlags defines the flags for handlers.
func executorWorkFlags(f *pflag.FlagSet) {
	f.Bool("scripts", false, "run scripts of jobs")
	f.StringSlice("interpreters", nil, "`kind=path` of interpreters outside PATH, such as php=/opt/php/bin/php")
	f.StringSlice("commands", nil, "`programs` that the handler commandJobHandler may run; * allows all")
	f.StringSlice("command-dirs", nil, "working `folders`, with their subfolders, that commandJobHandler may use (default none, or all with --commands '*')")
	f.StringSlice("command-env", nil, "`names` of variables that commandJobHandler may set; * allows all (default none, or all with --commands '*')")
	f.StringSlice("keep-env", nil, "`names` of variables to pass to scripts and commands in addition to PATH, HOME, LANG and similar ones")
	f.String("run-as", "", "run scripts and commands as this `user`: a name, uid or uid:gid")
	f.String("isolation", "auto", "process isolation of scripts and commands: auto, cgroup2, cgroup1 or group")
	f.Bool("private-temp", false, "use a private temporary folder for each script and command")
	f.Duration("kill-grace", 5*time.Second, "grace period of a cancelled script before its process tree is killed")
	f.String("max-memory", "", "memory limit of a script with its child processes, such as `512MiB`; a JavaScript job without one gets 1 GiB")
	f.Int("max-processes", 0, "process limit of a script with its child processes")
	f.Duration("max-cpu", 0, "CPU time limit of each process of a script")
	f.Int("max-files", 0, "open file limit of each process of a script")
	f.String("max-file-size", "", "file size limit of a script, such as `1GiB`")
	f.Bool("calls", false, "enable HTTP calls by the handler httpJobHandler")
	f.StringSlice("call-hosts", nil, "allowed `hosts` of HTTP calls: names, *.name, host:port or networks (default all public hosts)")
	f.Bool("call-private", false, "allow HTTP calls to private and loopback addresses outside --call-hosts")
	f.String("call-secrets", "", "`file` of NAME=value lines, available to HTTP calls as ${secret:NAME}")
}

// executorLimitFlags defines the flags for limits and retention.
func executorLimitFlags(f *pflag.FlagSet) {
	f.Int("max-running", 1000, "maximum number of running tasks")
	f.Int("max-waiting", 10_000, "maximum number of waiting tasks per job")
	f.Duration("idle-after", 90*time.Second, "time that an idle handler stays prepared")
	f.Duration("grace", 0, "grace period of a cancelled handler (default 10s, at least --kill-grace and 5s)")
	f.Int("max-outcomes", 1_000_000, "maximum number of unreported outcomes; no task is accepted above it")
	f.Duration("remember-for", 24*time.Hour, "time that a finished attempt is remembered to reject duplicates")
	f.Duration("keep-dead-letters-for", 30*24*time.Hour, "retention of dead letters; negative keeps them forever")
	f.Int("log-days", 30, "retention of run logs in days; -1 keeps them forever")
	f.String("log-size", "", "total size limit of run logs, such as `20GiB`; the oldest days are deleted first")
	f.String("log-run-size", "", "size limit of the log of one run (default `256MiB`)")
	f.String("tls-cert", "", "PEM `file` with the certificate of this executor; enables HTTPS")
	f.String("tls-key", "", "`file` with the private key of the certificate")
	f.String("tls-client-ca", "", "`file` with the CA certificates that client certificates of servers must chain to")
	f.String("tls-server-ca", "", "`file` with the CA certificates to verify servers")
}

// run runs the executor and its observability endpoints.
func (s *executorSettings) run(ctx context.Context, e *executor.Executor, logger *slog.Logger) error {
	last := s.DrainFor + 3*max(s.Grace, s.KillGrace, 15*time.Second) + 30*time.Second // longer than e.Run needs to stop
	parts := s.traces
	if s.Observe == "" && len(parts) == 0 {
		return e.Run(ctx)
	}
	if s.Observe != "" {
		listener, server, err := s.observing(ctx, e, logger)
		if err != nil {
			return err
		}
		defer listener.Close()
		parts = append(parts, lifecycle.Part{Name: "observe", Run: lifecycle.Serve(server, listener, time.Second)})
	}
	return lifecycle.New(lifecycle.Config{StopFor: last, Logger: logger}, append(parts, lifecycle.Part{Name: "run", Run: e.Run})...).Run(ctx)
}

// observing binds the metrics port.
func (s *executorSettings) observing(ctx context.Context, e *executor.Executor, logger *slog.Logger) (net.Listener, *http.Server, error) {
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", s.Observe)
	if err != nil {
		return nil, nil, job.FieldErrorf("metrics-listen", "cannot listen on %s: %w", s.Observe, err)
	}
	return listener, &http.Server{
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		Handler: observe.NewHandler(observe.Config{
			Prefix: "orth_executor_", Logger: logger, Healthy: e.Healthy,
			Collect: func() []observe.Sample {
				var samples []observe.Sample
				for _, x := range e.Samples(ctx) {
					samples = append(samples, observe.Sample(x))
				}
				return samples
			},
		}),
	}, nil
}

func (s *executorSettings) open() (*executor.Executor, *slog.Logger, error) {
	logger, err := s.logger()
	if err != nil {
		return nil, nil, err
	}
	c, err := s.config()
	if err != nil {
		return nil, nil, err
	}
	c.Logger = logger
	if s.traces, err = traced(&c, s.OTLP, logger); err != nil {
		return nil, nil, err
	}
	e, err := executor.New(c)
	if wrong, ok := errors.AsType[*job.Error](err); ok && wrong.Field == "token" {
		wrong.Field = "executor-token" // the name of the flag
	}
	return e, logger, err
}

// config converts the settings to the configuration of the executor.
func (s *executorSettings) config() (executor.Config, error) {
	c := executor.Config{
		Servers: s.Servers, Dialect: s.Dialect, Pull: s.Pull, Token: s.Token, GroupToken: s.OfGroup, AdmitDefaultToken: s.Admit, Group: s.Group, Listen: s.Listen, Address: s.Address, Data: s.Data,
		DrainFor: s.DrainFor, Scripts: s.Scripts, Running: s.MaxRunning, Waiting: s.MaxWaiting,
		IdleAfter: s.IdleAfter, Grace: s.Grace, Outcomes: s.MaxOutcomes, RememberFor: s.RememberFor, DeadFor: s.DeadFor, LogDays: s.LogDays,
		Programs: executor.Programs{
			Commands: s.Commands, CommandDirs: s.CommandDirs, CommandEnv: s.CommandEnv, Keep: s.KeepEnv, User: s.RunAs, Isolation: s.Isolation, PrivateTemp: s.PrivateTemp,
			Grace: s.KillGrace, Processes: s.MaxProcesses, CPUTime: s.MaxCPU, OpenFiles: s.MaxFiles,
		},
		Calls: executor.Calls{Enabled: s.Calls, Hosts: s.CallHosts, Private: s.CallPrivate},
		TLS:   executor.TLS{Cert: s.TLSCert, Key: s.TLSKey, ClientCA: s.TLSClientCA, ServerCA: s.TLSServerCA},
	}
	switch s.Drain {
	case "keep":
	case "return":
		c.Return = true
	default:
		return c, job.FieldErrorf("drain", "must be keep or return, got %q", s.Drain)
	}
	for _, size := range []struct {
		field, text string
		to          *int64
	}{
		{"max-memory", s.MaxMemory, &c.Programs.Memory},
		{"max-file-size", s.MaxFileSize, &c.Programs.FileSize},
		{"log-size", s.LogSize, &c.LogBytes},
		{"log-run-size", s.RunSize, &c.LogFileBytes},
	} {
		if err := kit.ParseSize(size.field, size.text, size.to); err != nil {
			return c, err
		}
	}
	err := s.read(&c)
	return c, err
}

// read reads files and parses lists.
func (s *executorSettings) read(c *executor.Config) error {
	if s.TokenFile != "" {
		text, err := credential.Load(s.TokenFile)
		if err != nil {
			return fmt.Errorf("--executor-token-file: %w", err)
		}
		c.Token = text.Reveal()
	}
	if s.OfFile != "" {
		text, err := credential.Load(s.OfFile)
		if err != nil {
			return fmt.Errorf("--group-token-file: %w", err)
		}
		c.GroupToken = text.Reveal()
	}
	var err error
	if c.Labels, err = kit.ParsePairs("labels", s.Labels); err != nil {
		return err
	}
	if s.CallSecrets != "" {
		if c.Calls.Secrets, err = readSecrets(s.CallSecrets); err != nil {
			return err
		}
	}
	c.Programs.Interpreters = make(map[job.HandlerKind]string)
	for _, pair := range s.Interpreters {
		kind, path, ok := strings.Cut(pair, "=")
		if !ok || path == "" {
			return job.FieldErrorf("interpreters", "%q must have the form kind=path, such as php=/opt/php/bin/php", pair)
		}
		c.Programs.Interpreters[job.HandlerKind(kind)] = path
	}
	if s.Scripts {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
		c.Programs.JavaScript = []string{self, glueCommand}
	}
	return nil
}

// maxSecrets is the maximum size of a secrets file in bytes.
const maxSecrets = 1 << 20

// readSecrets parses NAME=value lines. It skips empty lines and lines that begin with #.
func readSecrets(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, job.FieldErrorf("call-secrets", "cannot read the file: %w", err)
	}
	if len(text) > maxSecrets {
		return nil, job.FieldErrorf("call-secrets", "%s is larger than %d bytes", path, maxSecrets)
	}
	secrets := make(map[string]string)
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if _, twice := secrets[name]; !ok || name == "" || twice {
			return nil, job.FieldErrorf("call-secrets", "line %d of %s must have the form NAME=value with a unique name", number, path)
		}
		secrets[name] = strings.TrimSpace(value)
	}
	return secrets, nil
}
