package cli

import (
	"context"

	"github.com/spf13/pflag"
)

// everySpaceFlag adds the flag that lists the things of all namespaces.
func everySpaceFlag(flags *pflag.FlagSet, all *bool) {
	flags.BoolVar(all, "all-namespaces", false, "those of all namespaces that you may see")
}

// either returns what lists the things of all namespaces, or of the one in use.
func either[T any](all bool, every, own func(context.Context) ([]T, error)) func(context.Context) ([]T, error) {
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
