package queues

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/control"
	"github.com/orthd/orth/internal/output"
)

func newRedriveCommand(t *kit.Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use: "retry [KEY]...", Short: "Retry dead items with a fresh retry budget",
		Example: "  orth queue retry 1024\n  orth queue retry --all\n  orth queue retry --queue outbox --all",
	}
	name, all := flag(cmd), cmd.Flags().Bool("all", false, "retry all dead items")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		selection, err := selected(args, *all)
		if err != nil {
			return err
		}
		return operate(cmd.Context(), t, func(o control.Operations, _ string) error {
			n, err := o.Redrive(cmd.Context(), name.Value, selection)
			if err != nil {
				return err
			}
			return changed(t, "retried", n, name.Value)
		})
	}
	return cmd
}

func newPurgeCommand(t *kit.Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use: "purge [KEY]...", Short: "Permanently remove dead items",
		Example: "  orth queue purge 1024\n  orth queue purge --all\n  orth queue purge --all --yes",
	}
	name := flag(cmd)
	all, yes := cmd.Flags().Bool("all", false, "purge all dead items"), cmd.Flags().Bool("yes", false, "do not ask for confirmation with --all")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		selection, err := selected(args, *all)
		if err != nil {
			return err
		}
		if *all && !*yes {
			if !kit.AsksAPerson(t.Stdin) {
				return output.Usagef("--all: standard input is not a terminal, so confirmation is impossible: add --yes to purge all dead items")
			}
			if sure, err := mayPurge(cmd.Context(), t, name.Value); err != nil || !sure {
				return err
			}
		}
		return operate(cmd.Context(), t, func(o control.Operations, _ string) error {
			n, err := o.Purge(cmd.Context(), name.Value, selection)
			if err != nil {
				return err
			}
			return changed(t, "purged", n, name.Value)
		})
	}
	return cmd
}

// selected returns the items of a command line.
func selected(args []string, all bool) (control.Selection, error) {
	switch {
	case all && len(args) > 0:
		return control.Selection{}, output.Usagef("KEY and --all are mutually exclusive")
	case !all && len(args) == 0:
		return control.Selection{}, output.Usagef("give the KEY of each item, or use --all")
	}
	keys, err := parseKeys(args)
	return control.Selection{Keys: keys, All: all}, err
}

// changed describes how many items a command has changed.
func changed(t *kit.Tool, verb string, n int, name string) error {
	return t.PrintResult(map[string]int{verb: n}, fmt.Sprintf("%s of the queue %s %s", numbered(n), name, verb))
}

func numbered(n int) string {
	if n == 1 {
		return "1 dead item"
	}
	return strconv.Itoa(n) + " dead items"
}

// mayPurge asks for confirmation before all dead items are removed, without locking the
// folder. It prints a message when it returns false.
func mayPurge(ctx context.Context, t *kit.Tool, name string) (bool, error) {
	dead, where := 0, ""
	err := operate(ctx, t, func(o control.Operations, dir string) error {
		counts, err := o.Stats(ctx)
		for _, c := range counts {
			if c.Queue == name {
				dead, where = c.Dead, dir
			}
		}
		return err
	})
	if err != nil {
		return false, err
	}
	return t.Confirm(fmt.Sprintf("Permanently remove %s of the queue %s in %s?", numbered(dead), name, where))
}

func newBackupCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Back up all queues into a file while the executor runs or is stopped", Args: cobra.ExactArgs(1),
		Long: "Back up all queues into a file while the executor runs or is stopped. The file must not exist.\n\n" +
			"To restore, unpack the file (tar -xf FILE) into an empty folder " + folder + " of a data folder and start an executor on it.",
		Example: "  orth queue backup queue-2030-01-31.tar",
		RunE: func(cmd *cobra.Command, args []string) error {
			return operate(cmd.Context(), t, func(o control.Operations, dir string) error {
				size, err := output.WriteNew(args[0], func(w io.Writer) error { return o.Backup(cmd.Context(), w) })
				if err != nil {
					return err
				}
				return t.PrintResult(
					map[string]any{"file": args[0], "bytes": size},
					fmt.Sprintf("queues of %s backed up to %s (%d bytes)", dir, args[0], size),
				)
			})
		},
	}
}
