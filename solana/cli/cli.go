// Package cli is the orth-solana command: it runs a node that executes on-chain threads, and looks into one.
//
// It knows flags, the file and the environment with settings, tables, exit codes, and how the parts of a node are connected. It
// must never know a layout of the chain, how an execution is made or what becomes of a failed one. Arguments come in; text, JSON
// and an exit code go out.
//
// A flag wins over the environment, and the environment over the file. Addresses of nodes hold keys of their owners, and key files
// hold money: nothing here shows more of the ones than the host, and of the others than the address.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
)

// Config is the command's environment.
type Config struct {
	// Stdout gets results, Stderr messages. They default to the process's own.
	Stdout, Stderr io.Writer
	// Stdin is asked when something is taken away for good. Defaults to the process's own.
	Stdin io.Reader
	// Environ is the environment, as [os.Environ] has it, which is the default.
	Environ []string
	// Location is the zone in which times are shown. Defaults to [time.Local].
	Location *time.Location
	// Version is the one of this program. Defaults to "dev".
	Version string
}

// configFlag names the file of settings.
const configFlag = "config"

// tool is what the commands share.
type tool struct {
	Config

	file, data          string
	output              string
	columns             []string
	noHeaders, noColour bool
	started             bool // a command's own code runs; set before it by the wrapper
}

// New returns the orth-solana command with all its subcommands, for those who make documents of it. To run it use [Execute].
func New(c Config) *cobra.Command {
	root, _ := newRoot(c)
	return root
}

// Execute runs the command line args, without the program's name, and returns the exit
// code: 0 for success, 2 for a wrong command line or wrong settings, and otherwise the code
// that docs/cli.md lists for the error. It prints errors. The end of ctx ends the command.
func Execute(ctx context.Context, args []string, c Config) int {
	root, t := newRoot(c)
	output.DescribeFlagErrors(root)
	root.SetArgs(append([]string{}, args...)) // nil would mean the arguments of the process
	at, err := root.ExecuteContextC(ctx)
	return t.report(at, err)
}

func newRoot(c Config) (*cobra.Command, *tool) {
	if c.Stdout == nil {
		c.Stdout = os.Stdout
	}
	if c.Stderr == nil {
		c.Stderr = os.Stderr
	}
	if c.Stdin == nil {
		c.Stdin = os.Stdin
	}
	if c.Environ == nil {
		c.Environ = os.Environ()
	}
	if c.Location == nil {
		c.Location = time.Local
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	t := &tool{Config: c}
	root := &cobra.Command{
		Use:   "orth-solana",
		Short: "Executes on-chain threads of Solana",
		Long: "orth-solana executes on-chain threads of Solana when they are due, each execution once, and can report its outcome.\n\n" +
			"'orth-solana run' is the node. The other commands ask the one that runs on the data folder; of one that is stopped\n" +
			"they read the folder itself. Settings stand in the file of --config, in variables such as ORTH_SOLANA_KEYPAIR, or are flags of run.",
		Example:       "  orth-solana doctor --config node.yaml\n  orth-solana run --config node.yaml\n  orth-solana queue list --place dead",
		Version:       c.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(c.Stdout)
	root.SetErr(c.Stderr)
	root.SetIn(c.Stdin)
	root.AddCommand(t.runCommand(), t.manCommand())
	for _, cmd := range []*cobra.Command{
		t.queueCommand(), t.threadsCommand(), t.simulateCommand(), t.profitCommand(), t.doctorCommand(), t.versionCommand(),
	} {
		t.commonFlags(cmd)
		root.AddCommand(cmd)
	}
	output.Before(root, func(cmd *cobra.Command, _ []string) error { return t.begin(cmd) })
	return root, t
}

// commonFlags adds the flags of commands that look into a node, and print.
func (t *tool) commonFlags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&t.file, configFlag, "", "YAML `file` with the settings of the node (env ORTH_SOLANA_CONFIG)")
	f.StringVar(&t.data, "data", "", "data `folder` of the node (env ORTH_SOLANA_DATA; default: as in the file, or "+defaultData+")")
	f.StringVarP(&t.output, "output", "o", output.Table, "`format` of results: table, wide, json, yaml, or name, which is one id a line")
	f.StringSliceVar(&t.columns, "columns", nil, "only these `columns` of a table, in this order, as its head has them")
	f.BoolVar(&t.noHeaders, "no-headers", false, "print tables without their heads")
	f.BoolVar(&t.noColour, "no-color", false, "use no colours on a terminal (env NO_COLOR)")
}

// begin is what happens before a command's own code runs.
func (t *tool) begin(*cobra.Command) error {
	if formats := []string{output.Table, output.Wide, output.JSON, output.YAML, output.Name}; t.output != "" && !slices.Contains(formats, t.output) {
		return usagef("--output: %q is unknown; use %s", t.output, strings.Join(formats, ", "))
	}
	t.started = true
	return nil
}

// parent returns a command that only holds others.
func parent(cmd *cobra.Command, subs ...*cobra.Command) *cobra.Command {
	return output.Parent(cmd, subs...)
}

func usagef(format string, args ...any) error { return output.Usagef(format, args...) }

// settingsError is why a node does not start with its settings, before it has sent
// anything.
type settingsError struct{ cause error }

// Error returns the cause.
func (e settingsError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e settingsError) Unwrap() error { return e.cause }

// errShown ends a command with an error that it has shown already.
var errShown = errors.New("shown already")

// report prints the error and returns the exit code. at is the command that was reached.
func (t *tool) report(at *cobra.Command, err error) int {
	if err == nil || errors.Is(err, errShown) {
		return output.ExitCode(err)
	}
	if _, ok := errors.AsType[output.UsageError](err); ok || !t.started {
		output.PrintUsageError(t.Stderr, at, err)
		return output.ExitUsage
	}
	message, hint := explain(err)
	output.PrintFailure(t.Stderr, "orth-solana", message, hint)
	if _, unfit := errors.AsType[settingsError](err); unfit && !errors.Is(err, context.Canceled) {
		return output.ExitUsage
	}
	return output.ExitCode(err)
}

// explain returns what went wrong and what to do. Settings are written as they are called.
func explain(err error) (message, hint string) {
	return output.Explain(err, func(field string) string { return field })
}

// getenv reads the environment.
func (t *tool) getenv(name string) string {
	for _, pair := range slices.Backward(t.Environ) {
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value
		}
	}
	return ""
}

// settings reads the settings of commands other than run: those of the file and of the
// environment. Missing or wrong ones are an error only where a command needs them.
func (t *tool) settings() (*settings, error) {
	s := new(settings)
	f := settingFlags(s)
	if t.data != "" {
		if err := f.Set("data", t.data); err != nil {
			return nil, err
		}
	}
	path := t.file
	if path == "" {
		path = t.getenv(envName(configFlag))
	}
	if err := s.loadAll(f, path, t.Environ); err != nil {
		return nil, settingsError{err}
	}
	return s, nil
}

// printer returns what prints results in the format that the flags set.
func (t *tool) printer() *output.Printer {
	return &output.Printer{Out: t.Stdout, Getenv: t.getenv, Format: t.output, Columns: t.columns, NoHeads: t.noHeaders, NoColour: t.noColour}
}

// printResult prints a result: value for programs, and what table prints for people.
func (t *tool) printResult(value any, table func(p *output.Printer) error) error {
	p := t.printer()
	err := p.Show(value, func() error { return table(p) })
	if unknown, ok := errors.AsType[*output.ColumnError](err); ok {
		return usagef("%v", unknown)
	}
	return err
}

// printMessage prints a message to the user that is not a result.
func (t *tool) printMessage(format string, args ...any) {
	_, _ = fmt.Fprintf(t.Stderr, format+"\n", args...) // A failure here has no other channel.
}

// printDone prints what a command has done: a value for programs, a sentence for people.
func (t *tool) printDone(value any, format string, args ...any) error {
	return t.printResult(value, func(*output.Printer) error {
		_, err := fmt.Fprintf(t.Stdout, format+"\n", args...)
		return err
	})
}

// confirmed reports whether the user agrees; without a terminal, --yes is required.
func (t *tool) confirmed(yes bool, question string) (bool, error) {
	switch {
	case yes:
		return true, nil
	case !terminal.Is(t.Stdin):
		return false, usagef("there is no terminal to ask, and the deletion is final: add --yes")
	}
	return output.Confirm(t.Stdin, t.Stderr, question)
}

// formatTime shows an instant in the user's zone, "-" for none.
func (t *tool) formatTime(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.In(t.Location).Format("2006-01-02 15:04:05 MST")
}
