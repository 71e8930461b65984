// Package cli is the orth command: it reads flags, asks a server and prints what
// it says.
//
// It knows flags, the environment, how a server of this machine is found, tables
// and exit codes. It must never know SQL, nor more of a running server than any
// client of the API sees. What works while no server runs, such as a backup's
// restore or the steps of a schema, opens the database as a server does, and the
// samples of orth dev are made through the rooms. Arguments come in; text, JSON
// and an exit code go out.
//
// A flag wins over the environment, and the environment over the note that a
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

// Config says what the command works with.
type Config struct {
	// Stdout gets results, Stderr messages. They default to the process's own.
	Stdout, Stderr io.Writer
	// Stdin is read when a file is named "-". Defaults to the process's own.
	Stdin io.Reader
	// Getenv reads the environment. Defaults to [os.Getenv].
	Getenv func(name string) string
	// Location is the zone in which times are shown. Defaults to [time.Local].
	Location *time.Location
	// Screen is how many cells a line of the screen has, to which tables are fitted.
	// Defaults to what Stdout says, and to no bound where Stdout is no terminal.
	Screen int
	// Poll is the pause between two looks at a log that is followed.
	// Defaults to 1 s.
	Poll time.Duration
	// Complete bounds how long a shell waits for the keys of a server when it
	// completes a line. Defaults to 1 s.
	Complete time.Duration
	// Version is the one of this program. Defaults to "dev".
	Version string
}

// tool is what the commands share: the configuration and the flags of all that
// talk to a server.
type tool struct {
	Config

	server, token, tokenFile, ca, data, namespace, context string
	output                                                 choice
	columns                                                []string
	noHeaders, noColour                                    bool

	painting   terminal.Painter // what paints whatever Stdout is; the zero value leaves that to Stdout
	started    bool             // a command's own code runs; set before it by the wrapper
	everywhere bool             // all namespaces are meant; set before a command's own code by the wrapper
}

// New returns the orth command with all its subcommands, for those who make
// documents of it. To run it use [Execute].
func New(c Config) *cobra.Command {
	root, _ := build(c)
	return root
}

// Execute runs the command line args, without the program's name, and returns
// the exit code: 0 for success, 2 for a wrong command line, and otherwise what
// docs/cli.md says of the error. It prints errors. The end of ctx ends what waits
// or serves.
func Execute(ctx context.Context, args []string, c Config) int {
	root, t := build(c)
	output.Speak(root)
	root.SetArgs(append([]string{}, args...)) // nil would mean the arguments of the process
	at, err := root.ExecuteContextC(ctx)
	return t.report(at, err)
}

func build(c Config) (*cobra.Command, *tool) {
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
	t := &tool{Config: c, output: newChoice(outTable, outTable, outWide, outJSON, outYAML, outName)}
	root := &cobra.Command{
		Use:   "orth",
		Short: "A distributed job scheduler",
		Long: "Orth runs jobs at the right time on the right machine, and can tell why.\n\n" +
			"In the folder where a server was started the commands find it by themselves.\n" +
			"Elsewhere name it with --server and --token-file, or with ORTH_SERVER and ORTH_TOKEN.",
		Example: "  orth job list\n  orth job create report --group reports --cron '0 30 2 * * ?' --handler report --start\n" +
			"  orth job trigger report --wait\n  orth run log 1024 --follow",
		Version:       c.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(c.Stdout)
	root.SetErr(c.Stderr)
	root.SetIn(c.Stdin)
	root.AddCommand(newDev(c.Version), newServer(c.Version), newExecutor(), newGlueJS(), t.queueCommand(), t.contextCommand(), t.loginCommand(), t.logoutCommand(), t.manCommand(), t.backupCommand(), t.restoreCommand(), t.shadowCommand(), t.migrateCommand())
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
	sayArguments(root)
	output.Before(root, func(cmd *cobra.Command, args []string) error {
		t.started = true
		if err := t.settleKeys(cmd, args); err != nil {
			return err
		}
		return t.settleSpace(cmd)
	})
	t.addCompletion(root)
	return root, t
}

// serverFlags adds the flags of commands that talk to a server. They are not on
// the root, where those that are one would inherit and ignore them.
func (t *tool) serverFlags(cmd *cobra.Command) {
	t.connectFlags(cmd.PersistentFlags())
	t.outputFlags(cmd.PersistentFlags())
}

// connectFlags adds the flags that say which server is meant.
func (t *tool) connectFlags(flags *pflag.FlagSet) {
	flags.StringVar(&t.context, "context", "", "`name` of the context that says which server is meant (env ORTH_CONTEXT); see 'orth context'")
	flags.StringVar(&t.server, "server", "", "`URL` of the server (env ORTH_SERVER; default: the one that runs on the data folder)")
	flags.StringVar(&t.token, "token", "", "the server's `token` (env ORTH_TOKEN); other users may see it in the process list")
	flags.StringVar(&t.tokenFile, "token-file", "", "`file` that holds the server's token")
	flags.StringVar(&t.ca, "ca", "", "`file` with the authorities that an https server's certificate is checked with (env ORTH_CA; default: the machine's)")
	flags.StringVar(&t.data, "data", "", "data `folder` of a server on this machine (env ORTH_DATA; default: "+defaultData+")")
	flags.StringVarP(&t.namespace, "namespace", "n", "", "`namespace` of the jobs (env ORTH_NAMESPACE; default: default)")
}

// outputFlags adds the flags that say how results are printed.
func (t *tool) outputFlags(flags *pflag.FlagSet) {
	flags.VarP(&t.output, "output", "o", "how to print results; name is one key or id a line")
	flags.StringSliceVar(&t.columns, "columns", nil, "only these `columns` of a table, in this order, as its head has them")
	flags.BoolVar(&t.noHeaders, "no-headers", false, "print tables without their heads")
	flags.BoolVar(&t.noColour, "no-color", false, "use no colours on a terminal (env NO_COLOR)")
}

// parent returns a command that only holds others.
func parent(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	return output.Parent(cmd, subs...)
}
