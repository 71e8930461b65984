package kit

import (
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
)

// Placeholder returns the word in the Use line for the n-th argument, "" when there is
// none.
func Placeholder(use string, n int) string {
	var places []string
	for _, word := range strings.Fields(use)[1:] {
		place := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
		if place != "" && place == strings.ToUpper(place) && !strings.HasPrefix(place, "-") {
			places = append(places, place)
		}
		if strings.HasPrefix(word, "--") { // the next word is the value of a flag
			break
		}
	}
	switch {
	case n < len(places):
		return places[n]
	case len(places) > 0 && strings.Contains(use, "..."):
		return places[len(places)-1]
	}
	return ""
}

// FreeKeyAnnotation annotates commands whose KEY belongs to no namespace.
const FreeKeyAnnotation = "free-key"

// settleKeys accepts keys with a namespace prefix, as lists of all namespaces print them
// with -o name: team-a/report is report with --namespace team-a. It removes the
// namespaces from args.
func (t *Tool) settleKeys(cmd *cobra.Command, args []string) error {
	if cmd.Flags().Lookup("namespace") == nil || cmd.Annotations[FreeKeyAnnotation] != "" {
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
		case t.Namespace != "" && t.Namespace != found:
			return "", output.Usagef("%s is not in the namespace of --namespace: %s", whole, t.Namespace)
		}
		space = found
		return key, nil
	}
	var err error
	for i := range args {
		if place := Placeholder(cmd.Use, i); place != "KEY" && place != "GROUP" {
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
	if plain != "" && t.Namespace == "" {
		return output.Usagef("%s has no namespace but other keys have: add the namespace to each key, or use --namespace", plain)
	}
	t.Namespace = space
	return nil
}
