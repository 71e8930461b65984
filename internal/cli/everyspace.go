package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everySpace stands for all namespaces where one is named, and everySpaceName is the flag
// that means the same.
const (
	everySpace     = "*"
	everySpaceName = "all-namespaces"
)

// everySpaceFlag adds the flag that lists the things of all namespaces. Commands that
// have it take * as the namespace too.
func everySpaceFlag(flags *pflag.FlagSet, all *bool) {
	flags.BoolVarP(all, everySpaceName, "A", false, "those of all namespaces that you may see, as --namespace '*' says too")
}

// everySpaceUsual adds the flag to a command that lists the things of all namespaces
// unless one is named: there it overrules those of the environment and of contexts, and
// shows the namespace of each.
func (t *tool) everySpaceUsual(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(new(bool), everySpaceName, "A", false, "those of all namespaces that you may see, with the namespace of each")
}

// settleSpace makes one of the ways in which all namespaces are named, before a command
// runs: t.everywhere says it from then on.
func (t *tool) settleSpace(cmd *cobra.Command) error {
	all := cmd.Flags().Lookup(everySpaceName)
	if all == nil {
		return nil // Whoever connects refuses the star.
	}
	if all.Changed && t.namespace != "" && t.namespace != everySpace {
		return usagef("--namespace and --%s exclude each other", everySpaceName)
	}
	if !all.Changed && t.space() == everySpace {
		if err := all.Value.Set("true"); err != nil {
			return err
		}
	}
	t.everywhere = all.Value.String() == "true"
	return nil
}

// notEverywhere refuses the key of a job beside all namespaces: a job is in one.
func (t *tool) notEverywhere(jobKey string) error {
	if t.everywhere && jobKey != "" {
		return usagef("--job: the key of a job is one of a namespace: name that with --namespace, and not all of them")
	}
	return nil
}

// named returns the namespace that the flag names, "" for none and for all.
func (t *tool) named() string {
	if t.everywhere {
		return ""
	}
	return t.namespace
}

// either returns what lists the things of all namespaces, or of the one in use.
func either[T any](all bool, every, own func(context.Context) (T, error)) func(context.Context) (T, error) {
	if all {
		return every
	}
	return own
}

// tableIn prints a table, with the namespace of each row before it when rows are of
// all of them.
func (t *tool) tableIn(all bool, spaces []string, heads string, rows [][]string) error {
	if all {
		heads = "NAMESPACE " + heads
		for i := range rows {
			rows[i] = append([]string{spaces[i]}, rows[i]...)
		}
	}
	return t.table(heads, rows)
}
