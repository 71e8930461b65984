package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/lifecycle"
)

// devSettings holds the settings of `orth dev`.
type devSettings struct {
	Data        string `koanf:"data"`
	Listen      string `koanf:"listen"`
	Console     bool   `koanf:"console"`
	logSettings `koanf:",squash"`
	origins     origins
}

// NewDev returns the command orth dev.
func NewDev(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run a server and an executor with sample jobs, to try out Orth",
		Long: `Run a server, an executor and sample jobs in one process, with all data in one folder.
One sample job exists for each kind of schedule; its title describes it.
Delete the folder to start over.`,
		Example: "  orth dev\n  orth dev --listen 127.0.0.1:18080 --data /tmp/orth",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s devSettings
			var err error
			if s.origins, err = loadSettings(cmd, &s); err != nil {
				return kit.SettingsError(err)
			}
			logger, err := s.logger()
			if err != nil {
				return err
			}
			return runDev(cmd.Context(), s, version, logger, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.String("data", "orth-data", "data `folder`")
	f.String("listen", "127.0.0.1:8080", "`host:port` of the server")
	f.Bool("console", true, "serve the web console at /console/")
	logFlags(f)
	f.Lookup("log-level").DefValue = "warn"
	_ = f.Set("log-level", "warn")
	f.Lookup("log-level").Changed = false
	return cmd
}

func runDev(ctx context.Context, s devSettings, version string, logger *slog.Logger, out io.Writer) error {
	takes, err := newImporter()
	if err != nil {
		return err
	}
	server, err := app.New(app.Config{Data: s.Data, Listen: s.Listen, NoConsole: !s.Console, Version: version, Imports: takes, AlarmAllowPrivate: true, Logger: logger, Sources: s.origins.of, SettingsFile: s.origins.file, FirstUser: func(first app.FirstUser) {
		_, _ = fmt.Fprintf(out, "Created administrator %s; the initial password is in %s.\n", first.Name, first.File)
	}})
	if err != nil {
		return kit.SettingsError(err)
	}
	port, err := freePort(ctx, "127.0.0.1:9999")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	e, err := executor.New(executor.Config{
		Servers: []string{server.URL()}, Token: server.ExecutorToken().Reveal(), Group: sampleGroup, Listen: port,
		Data: filepath.Join(s.Data, "executor"), Scripts: true, DrainFor: 10 * time.Second, Logger: logger,
		// Scripts can already call and start anything: commands and calls add no permission.
		Programs: executor.Programs{JavaScript: []string{self, glueCommand}, Commands: []string{"*"}},
		Calls:    executor.Calls{Enabled: true, Private: true},
	})
	if err != nil {
		return err
	}
	handleSamples(e)
	group := lifecycle.New(lifecycle.Config{DrainFor: 15 * time.Second, StopFor: 40 * time.Second, Logger: logger},
		lifecycle.Part{Name: "server", Run: server.Run},
		lifecycle.Part{Name: "executor", Run: e.Run},
		lifecycle.Part{Name: "samples", Run: func(ctx context.Context) error {
			if err := createSamples(ctx, server.Jobs()); err != nil {
				return err
			}
			address, err := e.Address(ctx)
			if err != nil {
				return err
			}
			greet(out, server.URL(), address, s.Data, self)
			<-ctx.Done()
			_, _ = fmt.Fprintln(out, "Stopping: waiting for running tasks; queued tasks are kept for the next start.")
			return nil
		}},
	)
	return group.Run(ctx)
}

// greet prints the addresses and some commands to try, spelled for this shell.
func greet(out io.Writer, server, address, data, self string) {
	orth, where := calledAs(self), "in this folder"
	if whole, err := filepath.Abs(data); err == nil && data != kit.DefaultData {
		where = "after\n" + kit.Quote("export ORTH_DATA="+kit.QuoteWord(whole))
	}
	_, _ = fmt.Fprintf(out, `Orth is running. Ctrl-C stops it.

  console   %s/console/
  server    %s
  executor  %s  (group %s)
  data      %s

Sample jobs are running, one for each kind of schedule (cron, every, after, daily, once,
several), one that follows a calendar, one that stops itself, and one that is triggered
by hand. In another terminal, %s:

`, server, server, address, sampleGroup, data, where)
	for _, line := range [][2]string{
		{"job list", "list the jobs and their next firings"},
		{"job show sample-calendar", "show a job with its next firings"},
		{"run list", "list the runs"},
		{"run log ID", "print the log of a run"},
		{"job trigger sample-go --param you --wait", "run a job now and wait for the result"},
		{"explain job sample-retry", "explain why a job did or did not run"},
		{"pause --for 5m", "pause all jobs; " + kit.Quote(orth+" resume") + " resumes them"},
		{"top", "show current activity"},
		{"--help", "list all commands"},
	} {
		_, _ = fmt.Fprintf(out, "  %s %-41s %s\n", orth, line[0], line[1])
	}
	_, _ = fmt.Fprintln(out)
}

// calledAs returns the shell command that runs this program, whose file is self.
func calledAs(self string) string {
	if strings.Contains(self, "go-build") {
		return "go run ./cmd/orth"
	}
	found, err := exec.LookPath("orth")
	if err == nil {
		here, first := os.Stat(self)
		there, second := os.Stat(found)
		if first == nil && second == nil && os.SameFile(here, there) {
			return "orth"
		}
	}
	return kit.QuoteWord(self)
}

// freePort returns the address if it can be bound, otherwise one with a free port.
func freePort(ctx context.Context, preferred string) (string, error) {
	for _, address := range []string{preferred, "127.0.0.1:0"} {
		var listening net.ListenConfig
		listener, err := listening.Listen(ctx, "tcp", address)
		if err != nil {
			continue
		}
		bound := listener.Addr().String()
		return bound, listener.Close()
	}
	return "", errors.New("no free port on 127.0.0.1 for the executor")
}
