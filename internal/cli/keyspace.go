package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// freeKey annotates commands whose KEY is in no namespace.
const freeKey = "free-key"

// settleKeys takes keys with their namespace before them, as lists of all namespaces have
// them with -o name: team-a/report is report with --namespace team-a. It takes the
// namespaces out of args.
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
			return "", usagef("%q is no key: KEY and NAMESPACE/KEY are", whole)
		case space != "" && space != found:
			return "", usagef("keys of the namespaces %s and %s: name those of one at a time", space, found)
		case t.namespace != "" && t.namespace != found:
			return "", usagef("%s is not in the namespace that --namespace names: %s", whole, t.namespace)
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
		return usagef("%s has no namespace, and other keys have: name the namespace of each, or --namespace", plain)
	}
	t.namespace = space
	return nil
}
