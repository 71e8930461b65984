package kit

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/output"
)

// EverySpace selects all namespaces, and EverySpaceFlagName is the equivalent flag.
const (
	EverySpace         = "*"
	EverySpaceFlagName = "all-namespaces"
)

// AddEverySpaceFlag adds the flag that selects all namespaces. Its commands also accept * as
// the namespace.
func AddEverySpaceFlag(flags *pflag.FlagSet, all *bool) {
	flags.BoolVarP(all, EverySpaceFlagName, "A", false, "all namespaces that you may read, like --namespace '*'")
}

// AddEverySpaceDefault adds the flag to a command that lists all namespaces by default: it
// overrides the namespace of the environment and of contexts, and adds a namespace column.
func (t *Tool) AddEverySpaceDefault(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(new(bool), EverySpaceFlagName, "A", false, "all namespaces that you may read, with a namespace column")
}

// settleSpace normalizes the ways to select all namespaces before a command runs: it
// sets t.everywhere.
func (t *Tool) settleSpace(cmd *cobra.Command) error {
	all := cmd.Flags().Lookup(EverySpaceFlagName)
	if all == nil {
		return nil // connect rejects the star
	}
	if all.Changed && t.Namespace != "" && t.Namespace != EverySpace {
		return output.Usagef("--namespace and --%s are mutually exclusive", EverySpaceFlagName)
	}
	if !all.Changed && t.SelectedNamespace() == EverySpace {
		if err := all.Value.Set("true"); err != nil {
			return err
		}
	}
	t.Everywhere = all.Value.String() == "true"
	return nil
}

// RejectEverySpace rejects a job key with all namespaces: a key belongs to one namespace.
func (t *Tool) RejectEverySpace(jobKey string) error {
	if t.Everywhere && jobKey != "" {
		return output.Usagef("--job: job keys need a single namespace: use --namespace")
	}
	return nil
}

// NamespaceName returns the namespace of the flag, "" for none or all.
func (t *Tool) NamespaceName() string {
	if t.Everywhere {
		return ""
	}
	return t.Namespace
}

// Either returns a client of all namespaces or of the selected one.
func Either[T any](all bool, every, own func(context.Context) (T, error)) func(context.Context) (T, error) {
	if all {
		return every
	}
	return own
}

// PrintTableIn prints a table, with a namespace column when rows come from all namespaces.
func (t *Tool) PrintTableIn(all bool, spaces []string, heads string, rows [][]string) error {
	if all {
		heads = "NAMESPACE " + heads
		for i := range rows {
			rows[i] = append([]string{spaces[i]}, rows[i]...)
		}
	}
	return t.PrintTable(heads, rows)
}
