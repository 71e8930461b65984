// Package cli implements the orth command: it parses flags, calls a server and prints
// the response.
//
// It handles flags, environment variables, the discovery of a local server, tables and
// exit codes. It must not contain SQL, and it sees of a running server only what the API
// offers. Commands that work without a server, such as restore and migrate, open the
// database as a server does. The samples of orth dev are created through the server's
// own packages. Input is the command line; output is text, JSON and an exit code.
//
// A flag overrides the environment, and the environment overrides the note that a
// running server keeps in its data folder.
package cli

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
)

// Config configures the command. The zero value uses the process.
type Config struct {
	// Stdout receives results, Stderr messages. They default to the process's own.
	Stdout, Stderr io.Writer
	// Stdin is read when a file is named "-". It defaults to the process's own.
	Stdin io.Reader
	// Getenv reads the environment. It defaults to [os.Getenv].
	Getenv func(name string) string
	// Location is the zone of displayed times. It defaults to [time.Local].
	Location *time.Location
	// Screen is the number of cells per line, to which tables are fitted. It defaults to
	// the width of Stdout, and is unlimited when Stdout is not a terminal.
	Screen int
	// Poll is the interval between polls of a followed log. It defaults to 1 s.
	Poll time.Duration
	// Complete limits the wait for the server during shell completion. It defaults to 1 s.
	Complete time.Duration
	// Version is the version of this program. It defaults to "dev".
	Version string
}

// tool holds the state that commands share: the configuration and the common flags.
type tool struct {
	Config

	server, token, tokenFile, ca, data, namespace, context string
	output                                                 choice
	columns                                                []string
	noHeaders, noColour                                    bool

	painting   terminal.Painter // overrides the painter of Stdout; the zero value lets Stdout decide
	started    bool             // the code of a command runs; set by the wrapper
	everywhere bool             // all namespaces are selected; set by the wrapper
}

// New returns the orth command with all subcommands, for documentation generators. Use
// [Execute] to run it.
func New(c Config) *cobra.Command {
	root, _ := build(c)
	return root
}

// Execute runs the command line args, without the name of the program, and returns the
// exit code: 0 for success, 2 for a usage error, and otherwise the code that docs/cli.md
// defines for the error. It prints errors. Cancelling ctx stops waiting and serving
// commands.
func Execute(ctx context.Context, args []string, c Config) int {
	root, t := build(c)
	return t.execute(ctx, root, args)
}

func build(c Config) (*cobra.Command, *tool) {
	t := newTool(c)
	root := &cobra.Command{
		Use:   "orth",
		Short: "A distributed job scheduler",
		Long: "Orth is a distributed job scheduler: it runs jobs on time on the right executor, and explains every decision.\n\n" +
			"Commands find a server that runs on the data folder here. To use another server set --server and --token-file,\n" +
			"set ORTH_SERVER and ORTH_TOKEN, or create a context with 'orth context set'.",
		Example: "  orth job list\n  orth job create report --group reports --cron '0 30 2 * * ?' --handler report --enable\n" +
			"  orth job trigger report --wait\n  orth run log 1024 --follow",
		Version:       t.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(t.Stdout)
	root.SetErr(t.Stderr)
	root.SetIn(t.Stdin)
	root.AddCommand(newDev(t.Version), newServer(t.Version), newExecutor(), newGlueJS(), t.queueCommand(), t.contextCommand(), t.loginCommand(), t.logoutCommand(), t.manCommand(), t.backupCommand(), t.restoreCommand(), t.shadowCommand(), t.migrateCommand())
	for _, cmd := range []*cobra.Command{
		t.jobCommand(), t.runCommand(), t.backfillCommand(), t.calendarCommand(), t.pauseCommand(), t.resumeCommand(),
		t.cronCommand(), t.executorsCommand(), t.groupCommand(), t.versionCommand(), t.workflowCommand(),
		t.statsCommand(), t.dashboardCommand(), t.timelineCommand(), t.eventsCommand(),
		t.topCommand(), t.namespaceCommand(), t.clusterCommand(), t.settingsCommand(),
		t.deadLetterCommand(),
		t.alarmCommand(), t.secretCommand(),
		t.explainCommand(),
		t.doctorCommand(),
		t.userCommand(), t.tokenCommand(), t.whoamiCommand(),
		t.auditCommand(),
	} {
		t.serverFlags(cmd)
		t.addWatch(cmd)
		root.AddCommand(cmd)
	}
	root.AddCommand(t.mcpCommand())
	root.AddCommand(t.codeCommands()...)
	t.prepare(root)
	t.addCompletion(root)
	return root, t
}

// prepare describes the arguments of commands in their errors, and lets the common flags
// take effect before their code runs.
func (t *tool) prepare(root *cobra.Command) {
	describeArguments(root)
	output.Before(root, func(cmd *cobra.Command, args []string) error {
		t.started = true
		if err := t.settleKeys(cmd, args); err != nil {
			return err
		}
		return t.settleSpace(cmd)
	})
}

// execute runs a command line, prints its error and returns the exit code.
func (t *tool) execute(ctx context.Context, root *cobra.Command, args []string) int {
	output.DescribeFlagErrors(root)
	root.SetArgs(append([]string{}, args...)) // nil would select the arguments of the process
	at, err := root.ExecuteContextC(ctx)
	return t.report(at, err)
}

// newTool returns the state of the commands, with the defaults of its configuration.
func newTool(c Config) *tool {
	if c.Stdout == nil {
		c.Stdout = os.Stdout
	}
	if c.Stderr == nil {
		c.Stderr = os.Stderr
	}
	if c.Stdin == nil {
		c.Stdin = os.Stdin
	}
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	if c.Location == nil {
		c.Location = time.Local
	}
	if c.Poll <= 0 {
		c.Poll = time.Second
	}
	if c.Complete <= 0 {
		c.Complete = time.Second
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	return &tool{Config: c, output: newChoice(output.Table, output.Table, output.Wide, output.JSON, output.YAML, output.Name)}
}

// serverFlags adds the flags of commands that call a server. They are not persistent
// flags of the root: commands without a server would inherit them.
func (t *tool) serverFlags(cmd *cobra.Command) {
	t.connectFlags(cmd.PersistentFlags())
	t.outputFlags(cmd.PersistentFlags())
}

// connectFlags adds the flags that select the server.
func (t *tool) connectFlags(flags *pflag.FlagSet) {
	flags.StringVar(&t.context, "context", "", "`name` of the context to use (env ORTH_CONTEXT); see 'orth context'")
	flags.StringVar(&t.server, "server", "", "`URL` of the server (env ORTH_SERVER; default: the server of the data folder)")
	flags.StringVar(&t.token, "token", "", "`token` for the server (env ORTH_TOKEN); visible in the process list")
	flags.StringVar(&t.tokenFile, "token-file", "", "`file` with the token for the server")
	flags.StringVar(&t.ca, "ca", "", "`file` with the CA certificates to verify the server (env ORTH_CA; default: those of the system)")
	flags.StringVar(&t.data, "data", "", "data `folder` of a local server (env ORTH_DATA; default: "+defaultData+")")
	flags.StringVarP(&t.namespace, "namespace", "n", "", "`namespace` to use (env ORTH_NAMESPACE; default: default)")
}

// outputFlags adds the flags that control how results are printed.
func (t *tool) outputFlags(flags *pflag.FlagSet) {
	flags.VarP(&t.output, "output", "o", "output format; name prints one key or id per line")
	flags.StringSliceVar(&t.columns, "columns", nil, "`columns` of the table to print, in this order")
	flags.BoolVar(&t.noHeaders, "no-headers", false, "omit table headers")
	flags.BoolVar(&t.noColour, "no-color", false, "disable colors (env NO_COLOR)")
}
