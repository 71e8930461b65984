package kit

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

// Tool holds the state that commands share: the configuration and the common flags.
type Tool struct {
	Config

	Server, Token, TokenFile, CA, Data, Namespace, Context string
	Output                                                 Choice
	columns                                                []string
	noHeaders, noColour                                    bool

	painting   terminal.Painter // overrides the painter of Stdout; the zero value lets Stdout decide
	started    bool             // the code of a command runs; set by the wrapper
	Everywhere bool             // all namespaces are selected; set by the wrapper
}

// Prepare describes the arguments of commands in their errors, and lets the common flags
// take effect before their code runs.
func (t *Tool) Prepare(root *cobra.Command) {
	describeArguments(root)
	output.Before(root, func(cmd *cobra.Command, args []string) error {
		t.started = true
		if err := t.settleKeys(cmd, args); err != nil {
			return err
		}
		return t.settleSpace(cmd)
	})
}

// Execute runs a command line, prints its error and returns the exit code.
func (t *Tool) Execute(ctx context.Context, root *cobra.Command, args []string) int {
	output.DescribeFlagErrors(root)
	root.SetArgs(append([]string{}, args...)) // nil would select the arguments of the process
	at, err := root.ExecuteContextC(ctx)
	return t.report(at, err)
}

// New returns the state of the commands, with the defaults of its configuration.
func New(c Config) *Tool {
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
	return &Tool{Config: c, Output: NewChoice(output.Table, output.Table, output.Wide, output.JSON, output.YAML, output.Name)}
}

// ServerFlags adds the flags of commands that call a server. They are not persistent
// flags of the root: commands without a server would inherit them.
func (t *Tool) ServerFlags(cmd *cobra.Command) {
	t.ConnectFlags(cmd.PersistentFlags())
	t.OutputFlags(cmd.PersistentFlags())
}

// ConnectFlags adds the flags that select the server.
func (t *Tool) ConnectFlags(flags *pflag.FlagSet) {
	flags.StringVar(&t.Context, "context", "", "`name` of the context to use (env ORTH_CONTEXT); see 'orth context'")
	flags.StringVar(&t.Server, "server", "", "`URL` of the server (env ORTH_SERVER; default: the server of the data folder)")
	flags.StringVar(&t.Token, "token", "", "`token` for the server (env ORTH_TOKEN); visible in the process list")
	flags.StringVar(&t.TokenFile, "token-file", "", "`file` with the token for the server")
	flags.StringVar(&t.CA, "ca", "", "`file` with the CA certificates to verify the server (env ORTH_CA; default: those of the system)")
	flags.StringVar(&t.Data, "data", "", "data `folder` of a local server (env ORTH_DATA; default: "+DefaultData+")")
	flags.StringVarP(&t.Namespace, "namespace", "n", "", "`namespace` to use (env ORTH_NAMESPACE; default: default)")
}

// OutputFlags adds the flags that control how results are printed.
func (t *Tool) OutputFlags(flags *pflag.FlagSet) {
	flags.VarP(&t.Output, "output", "o", "output format; name prints one key or id per line")
	flags.StringSliceVar(&t.columns, "columns", nil, "`columns` of the table to print, in this order")
	flags.BoolVar(&t.noHeaders, "no-headers", false, "omit table headers")
	flags.BoolVar(&t.noColour, "no-color", false, "disable colors (env NO_COLOR)")
}
