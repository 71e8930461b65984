package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/output"
)

// everySpace selects all namespaces, and everySpaceName is the equivalent flag.
const (
	everySpace     = "*"
	everySpaceName = "all-namespaces"
)

// everySpaceFlag adds the flag that selects all namespaces. Its commands also accept * as
// the namespace.
func everySpaceFlag(flags *pflag.FlagSet, all *bool) {
	flags.BoolVarP(all, everySpaceName, "A", false, "all namespaces that you may read, like --namespace '*'")
}

// everySpaceUsual adds the flag to a command that lists all namespaces by default: it
// overrides the namespace of the environment and of contexts, and adds a namespace column.
func (t *tool) everySpaceUsual(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(new(bool), everySpaceName, "A", false, "all namespaces that you may read, with a namespace column")
}

// settleSpace normalizes the ways to select all namespaces before a command runs: it
// sets t.everywhere.
func (t *tool) settleSpace(cmd *cobra.Command) error {
	all := cmd.Flags().Lookup(everySpaceName)
	if all == nil {
		return nil // connect rejects the star
	}
	if all.Changed && t.namespace != "" && t.namespace != everySpace {
		return output.Usagef("--namespace and --%s are mutually exclusive", everySpaceName)
	}
	if !all.Changed && t.space() == everySpace {
		if err := all.Value.Set("true"); err != nil {
			return err
		}
	}
	t.everywhere = all.Value.String() == "true"
	return nil
}

// notEverywhere rejects a job key with all namespaces: a key belongs to one namespace.
func (t *tool) notEverywhere(jobKey string) error {
	if t.everywhere && jobKey != "" {
		return output.Usagef("--job: job keys need a single namespace: use --namespace")
	}
	return nil
}

// named returns the namespace of the flag, "" for none or all.
func (t *tool) named() string {
	if t.everywhere {
		return ""
	}
	return t.namespace
}

// either returns a client of all namespaces or of the selected one.
func either[T any](all bool, every, own func(context.Context) (T, error)) func(context.Context) (T, error) {
	if all {
		return every
	}
	return own
}

// tableIn prints a table, with a namespace column when rows come from all namespaces.
func (t *tool) tableIn(all bool, spaces []string, heads string, rows [][]string) error {
	if all {
		heads = "NAMESPACE " + heads
		for i := range rows {
			rows[i] = append([]string{spaces[i]}, rows[i]...)
		}
	}
	return t.table(heads, rows)
}
