package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

func (t *tool) runCommand() *cobra.Command {
	s := new(settings)
	file, printing := "", false
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run a node: it executes threads when they are due",
		Long: `Run a node. It watches the threads of the program, executes those that are due and its own, and proves what became of
each execution. What it has begun is in its data folder before it is sent: after a crash the next start finds out what became of it
before anything else is done.

Each setting can stand in the file of --config, with the name of its flag, or in the environment (--tpu-fanout is
ORTH_SOLANA_TPU_FANOUT). --print-config shows what counts, and where it came from.

Ctrl-C, or SIGTERM, takes nothing new, waits for what is on its way (--drain-for), and keeps the rest for the next start.

docs/solana.md explains each behaviour, the economics, and what to do when something fails.`,
		Example: "  orth-solana run --config node.yaml\n" +
			"  orth-solana run --endpoints https://rpc.example.com --keypair executor.json --data /var/lib/orth-solana\n" +
			"  orth-solana run --config node.yaml --print-config",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := file
			if path == "" {
				path = t.getenv(envName(configFlag))
			}
			if err := s.loadAll(cmd.Flags(), path, t.Environ); err != nil {
				return settingsError{err}
			}
			if printing {
				return t.printSettings(s.effective(cmd.Flags()))
			}
			return t.runTool(cmd, s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&file, configFlag, "", "YAML `file` with settings named like these flags (env ORTH_SOLANA_CONFIG)")
	f.BoolVar(&printing, "print-config", false, "print the settings as they are in effect, and end")
	f.AddFlagSet(settingFlags(s))
	return cmd
}

// runTool opens a node and runs it.
func (t *tool) runTool(cmd *cobra.Command, s *settings) error {
	logger, err := output.NewLogger(os.Stderr, s.LogLevel, s.LogFormat)
	if err != nil {
		return settingsError{err}
	}
	n, err := openNode(s, logger)
	if err == nil {
		if err = s.settleChain(cmd.Context()); err != nil {
			err = errors.Join(err, n.ledger.Close())
		} else {
			err = t.runNode(cmd.Context(), n)
		}
	}
	if job.Is(err, job.Invalid) {
		return settingsError{err}
	}
	return err
}

// runNode logs the node's identity, and runs it.
func (t *tool) runNode(ctx context.Context, n *node) error {
	listener, err := n.listen(ctx)
	if err != nil {
		return errors.Join(err, n.ledger.Close())
	}
	control := listenOff
	if listener != nil {
		control = reachable(listener.Addr())
	}
	_, _ = fmt.Fprintf(t.Stdout, "Orth Solana executor %s (program %s, %s, data in %s, control on %s%s).\n",
		n.key, n.profile.Name, plural.Count(len(n.settings.Endpoints.list), "node"), n.settings.Data, control, n.serverText())
	return n.runNode(ctx, listener, t.Version)
}

// printSettings prints the settings as they are in effect. Of the addresses of nodes only hosts are shown.
func (t *tool) printSettings(all []setting) error {
	p := t.printer()
	p.Format = output.Wide
	rows := make([][]string, len(all))
	for i, s := range all {
		rows[i] = []string{s.Name, s.Value, s.From}
	}
	return p.Table("SETTING VALUE FROM", rows)
}
