package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
)

// freeKey annotates commands whose KEY belongs to no namespace.
const freeKey = "free-key"

// settleKeys accepts keys with a namespace prefix, as lists of all namespaces print them
// with -o name: team-a/report is report with --namespace team-a. It removes the
// namespaces from args.
func (t *tool) settleKeys(cmd *cobra.Command, args []string) error {
	if cmd.Flags().Lookup("namespace") == nil || cmd.Annotations[freeKey] != "" {
		return nil
	}
	space, plain := "", ""
	take := func(whole string) (key string, err error) {
		found, key, ok := strings.Cut(whole, "/")
		switch {
		case !ok:
			plain = whole
			return whole, nil
		case found == "" || key == "" || strings.Contains(key, "/"):
			return "", output.Usagef("%q is not a key: use KEY or NAMESPACE/KEY", whole)
		case space != "" && space != found:
			return "", output.Usagef("keys of different namespaces %s and %s: give keys of one namespace only", space, found)
		case t.namespace != "" && t.namespace != found:
			return "", output.Usagef("%s is not in the namespace of --namespace: %s", whole, t.namespace)
		}
		space = found
		return key, nil
	}
	var err error
	for i := range args {
		if place := placeholder(cmd.Use, i); place != "KEY" && place != "GROUP" {
			continue
		}
		if args[i], err = take(args[i]); err != nil {
			return err
		}
	}
	if f := cmd.Flags().Lookup("job"); f != nil && f.Changed && f.Value.Type() == "string" {
		key, err := take(f.Value.String())
		if err == nil {
			err = f.Value.Set(key)
		}
		if err != nil {
			return err
		}
	}
	if space == "" {
		return nil
	}
	if plain != "" && t.namespace == "" {
		return output.Usagef("%s has no namespace but other keys have: add the namespace to each key, or use --namespace", plain)
	}
	t.namespace = space
	return nil
}
