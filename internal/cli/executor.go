package cli

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

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/job"
)

// executorSettings are the settings of `orth executor`.
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
	Observe   string        `koanf:"observe"`
	OTLP      string        `koanf:"otlp-endpoint"`
	DrainFor  time.Duration `koanf:"drain-for"`
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
	DeadFor     time.Duration `koanf:"dead-for"`

	LogDays int    `koanf:"log-days"`
	LogSize string `koanf:"log-size"`
	RunSize string `koanf:"log-run-size"`

	TLSCert     string `koanf:"tls-cert"`
	TLSKey      string `koanf:"tls-key"`
	TLSClientCA string `koanf:"tls-client-ca"`
	TLSServerCA string `koanf:"tls-server-ca"`
	logSettings `koanf:",squash"`

	traces []lifecycle.Part // set by open: what brings spans away
}

func newExecutor() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "executor",
		Short: "Run an executor: it runs scripts, commands and HTTP calls for servers",
		Long: `Run an executor. It registers with the servers, takes tasks, keeps them in a
durable queue in its data folder, runs them and reports what became of them.

It runs the scripts that jobs bring along only with --scripts, programs only with
--commands, and HTTP calls only with --calls: whoever may edit jobs may use them. To
run Go functions, build the executor into your program with the package
github.com/orthd/orth/executor.

Servers may be Orth servers or admins of the XXL-JOB family, named with their
context path; all of them are one installation, and one of them is enough at a
time. Each setting can stand in the file of --config or in the environment
(--log-days is ORTH_LOG_DAYS) as well.

Ctrl-C, or SIGTERM, takes no more tasks, lets running tasks end, and keeps the
rest for the next start (--drain return hands it back).

docs/executor.md explains each behaviour.`,
		Example: `  orth executor --servers http://127.0.0.1:8080 --group reports \
      --executor-token-file orth-data/executor.token --scripts
  orth executor --group ops --commands /usr/bin/rsync,/usr/bin/pg_dump --max-memory 512MiB
  orth executor --group hooks --calls --call-hosts '*.example.com' --observe 127.0.0.1:9990`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s executorSettings
			if _, err := loadSettings(cmd, &s); err != nil {
				return beforeStart(err)
			}
			e, logger, err := s.open()
			if err != nil {
				return beforeStart(err)
			}
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), "Orth executor of group %s %s (data in %s).\n", s.Group, s.where(), s.Data)
			return s.run(cmd.Context(), e, logger)
		},
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringSlice("servers", []string{"http://127.0.0.1:8080"}, "base `URL`s of the servers, tried in this order")
	s.String("dialect", "auto", "`dialect` of the servers: xxl-job (up to 3.4), xxl-job-3.5, orth-java, native (Orth's own) or auto; --servers orth-java=URL says it of one")
	s.Bool("pull", false, "fetch tasks from the servers over outgoing connections, with no port of its own; the dialect is native then")
	s.String("group", "", "app name: executors of one group run the same jobs (required)")
	s.StringSlice("labels", nil, "`key=value` features that jobs can select, such as zone=eu; weight=3 is for the route weighted")
	s.String("executor-token", "", "token that servers know, or a server's key, of which that of the group is made; better in a file or in ORTH_EXECUTOR_TOKEN")
	s.String("executor-token-file", "", "`file` with it, such as executor.token of the server's data folder")
	s.String("group-token", "", "secret of the group to show to servers instead; they may show either; better in a file or in ORTH_GROUP_TOKEN")
	s.String("group-token-file", "", "`file` with that secret, as 'orth group token add' printed it")
	s.Bool("admit-default-token", false, "allow an --executor-token that everybody knows, such as default_token, or none, during a migration")
	s.String("listen", "127.0.0.1:9999", "`host:port` that servers call")
	s.String("address", "", "`URL` under which servers reach --listen (default http:// and --listen)")
	s.String("data", "orth-executor", "`folder` of the queue, the outbox, run logs and scripts")
	s.String("observe", "", "`host:port` that serves /metrics and /healthz (default none)")
	otlpFlag(s)
	s.Duration("drain-for", 20*time.Second, "how long running tasks may take to end after a stop")
	s.String("drain", "keep", "what a stop does with waiting tasks: `keep` them on disk, or return them to the servers")
	executorWorkFlags(s)
	executorLimitFlags(s)
	logFlags(s)
	return cmd
}

// where says how servers reach the executor.
func (s *executorSettings) where() string {
	if s.Pull {
		return "pulls from " + strings.Join(s.Servers, ", ")
	}
	return "listens on " + s.Listen
}

// executorWorkFlags are about what an executor runs.
func executorWorkFlags(f *pflag.FlagSet) {
	f.Bool("scripts", false, "run the scripts that jobs bring along")
	f.StringSlice("interpreters", nil, "`kind=path` of interpreters that are not along PATH, such as php=/opt/php/bin/php")
	f.StringSlice("commands", nil, "`programs` that jobs with the handler commandJobHandler may run; * allows all")
	f.StringSlice("command-dirs", nil, "`folders` that these jobs may run their programs in, with all below them (default none, or all with --commands '*')")
	f.StringSlice("command-env", nil, "`names` of variables that these jobs may set; * allows all (default none, or all with --commands '*')")
	f.StringSlice("keep-env", nil, "`names` of variables that scripts and commands get beside PATH, HOME, LANG and the like")
	f.String("run-as", "", "run scripts and commands as this `user`: a name, uid or uid:gid")
	f.String("isolation", "auto", "what holds a child's process tree together: auto, cgroup2, cgroup1 or group")
	f.Bool("private-temp", false, "give each script and command a folder for temporary files of its own")
	f.Duration("kill-grace", 5*time.Second, "how long a cancelled script may take to end; then its tree is killed")
	f.String("max-memory", "", "most memory of a script and all it starts, such as `512MiB`")
	f.Int("max-processes", 0, "most processes of a script and all it starts")
	f.Duration("max-cpu", 0, "most processor time of a process of a script")
	f.Int("max-files", 0, "most open files of a process of a script")
	f.String("max-file-size", "", "longest file that a script may write, such as `1GiB`")
	f.Bool("calls", false, "make HTTP calls for jobs with the handler httpJobHandler")
	f.StringSlice("call-hosts", nil, "`hosts` that may be called: names, *.name, host:port or networks (default all public ones)")
	f.Bool("call-private", false, "let calls reach private and loopback addresses that --call-hosts does not name")
	f.String("call-secrets", "", "`file` of NAME=value lines that calls may use as ${secret:NAME}")
}

// executorLimitFlags are about how much and how long.
func executorLimitFlags(f *pflag.FlagSet) {
	f.Int("max-running", 1000, "most tasks that run at the same time")
	f.Int("max-waiting", 10_000, "most tasks of one job that wait")
	f.Duration("idle-after", 90*time.Second, "how long a job's handler stays prepared without work")
	f.Duration("grace", 0, "how long a cancelled handler may take to return (default 10s, at least --kill-grace and 5s)")
	f.Int("max-outcomes", 1_000_000, "most outcomes that wait for a server; then no task is taken")
	f.Duration("remember-for", 24*time.Hour, "how long an ended attempt is refused when it is sent again")
	f.Duration("dead-for", 30*24*time.Hour, "how long dead letters are kept; negative keeps them")
	f.Int("log-days", 30, "days to keep run logs; -1 keeps them for ever")
	f.String("log-size", "", "most space of all run logs, such as `20GiB`; the oldest days go first")
	f.String("log-run-size", "", "most space of one run's log (default `256MiB`)")
	f.String("tls-cert", "", "`file` with the certificate of this executor, in PEM form; it serves HTTPS then")
	f.String("tls-key", "", "`file` with the certificate's key")
	f.String("tls-client-ca", "", "`file` with the authorities whose certificates servers must show")
	f.String("tls-server-ca", "", "`file` with the authorities that servers' certificates are checked with")
}

// run runs the executor, and beside it what watches it.
func (s *executorSettings) run(ctx context.Context, e *executor.Executor, logger *slog.Logger) error {
	last := s.DrainFor + 3*max(s.Grace, s.KillGrace, 15*time.Second) + 30*time.Second // more than e.Run needs to stop
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

// observing binds the port of the figures.
func (s *executorSettings) observing(ctx context.Context, e *executor.Executor, logger *slog.Logger) (net.Listener, *http.Server, error) {
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", s.Observe)
	if err != nil {
		return nil, nil, job.FieldErrorf("observe", "cannot listen on %s: %w", s.Observe, err)
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
		wrong.Field = "executor-token" // as the flag is called
	}
	return e, logger, err
}

// config turns the settings into those of the executor.
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
		return c, job.FieldErrorf("drain", "%q is neither keep nor return", s.Drain)
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
		if err := readSize(size.field, size.text, size.to); err != nil {
			return c, err
		}
	}
	err := s.read(&c)
	return c, err
}

// read reads what stands in files and lists.
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
	if c.Labels, err = pairs("labels", s.Labels); err != nil {
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
			return job.FieldErrorf("interpreters", "%q is not kind=path, such as php=/opt/php/bin/php", pair)
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

// readSize reads a number of bytes with its unit; an empty text changes nothing.
func readSize(field, text string, to *int64) error {
	if text == "" {
		return nil
	}
	n, err := humanize.ParseBytes(text)
	if err != nil || n > 1<<62 {
		return job.FieldErrorf(field, "%q is not a size such as 512MiB", text)
	}
	*to = int64(n)
	return nil
}

// maxSecrets bounds a file of secrets.
const maxSecrets = 1 << 20

// readSecrets reads NAME=value lines; empty ones and those that begin with # are
// passed over.
func readSecrets(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, job.FieldErrorf("call-secrets", "cannot be read: %w", err)
	}
	if len(text) > maxSecrets {
		return nil, job.FieldErrorf("call-secrets", "%s has more than %d bytes", path, maxSecrets)
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
			return nil, job.FieldErrorf("call-secrets", "line %d of %s is not NAME=value with a name of its own", number, path)
		}
		secrets[name] = strings.TrimSpace(value)
	}
	return secrets, nil
}
