package cli

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/output"
)

// maxCompleted is the maximum number of offered keys.
const maxCompleted = 200

// listOf returns the command that lists the possible arguments of another command when
// that command has no list of its own; "" otherwise.
func listOf(path string) string {
	switch path {
	case "orth run prune", "orth explain job":
		return "job list"
	case "orth explain run":
		return "run list"
	case "orth resume":
		return "pause list"
	case "orth workflow cancel", "orth workflow resume":
		return "workflow runs"
	case "orth alarm acknowledge":
		return "alarm list"
	}
	return ""
}

// listFor returns the command that lists the values of a flag or an argument with this
// name, "" when there is none.
func listFor(noun string) string {
	switch noun {
	case "job", "calendar", "workflow", "context", "user", "secret":
		return noun + " list"
	case "child", "template":
		return "job list"
	case "channel", "rule":
		return "alarm " + noun + " list"
	}
	return ""
}

// addCompletion adds shell completion to every command: keys of the server, values of
// flags and columns of tables.
func (t *tool) addCompletion(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		t.addCompletion(sub)
	}
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = t.completeArgs
	}
	offer := func(flag *pflag.Flag) {
		if complete := t.completeFlag(flag); complete != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag.Name, complete) // fails only when the flag has one already
		}
	}
	cmd.LocalNonPersistentFlags().VisitAll(offer)
	cmd.PersistentFlags().VisitAll(offer)
}

// completeArgs offers keys for the next argument of a command.
func (t *tool) completeArgs(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	place := placeholder(cmd.Use, len(args))
	switch place {
	case "FILE", "DIR":
		return nil, cobra.ShellCompDirectiveDefault
	case "", "URL", "NEW":
		return nil, cobra.ShellCompDirectiveNoFileComp
	case "ACTION":
		return offered(strings.Fields(cmd.Annotations[actionsOf]), begun, nil), cobra.ShellCompDirectiveNoFileComp
	case "GROUP":
		return t.groups(cmd, begun), cobra.ShellCompDirectiveNoFileComp
	}
	list := firstOf(listOf(cmd.CommandPath()), listFor(strings.ToLower(place)))
	if list == "" && cmd.HasParent() {
		_, sibling, _ := strings.Cut(cmd.Parent().CommandPath(), " ")
		list = sibling + " " + listName
	}
	return offered(t.ask(cmd, strings.Fields(list+" -o "+output.Name)), begun, args), cobra.ShellCompDirectiveNoFileComp
}

// placeholder returns the word in the Use line for the n-th argument, "" when there is
// none.
func placeholder(use string, n int) string {
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

// completeFlag returns the completion of a flag, nil when the shell should complete file
// names.
func (t *tool) completeFlag(flag *pflag.Flag) cobra.CompletionFunc {
	if words, ok := flag.Value.(*choice); ok {
		return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return offered(slices.Clone(words.allowed), begun, nil), cobra.ShellCompDirectiveNoFileComp
		}
	}
	list := listFor(flag.Name)
	kind, _ := pflag.UnquoteUsage(flag)
	switch {
	case flag.Name == "columns":
		return t.completeColumns
	case flag.Name == "state" && flag.Value.Type() == "stringSlice":
		return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return further(newState().allowed, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
	case flag.Name == "group":
		return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return t.groups(cmd, begun), cobra.ShellCompDirectiveNoFileComp
		}
	case flag.Name == "handler":
		return t.completeHandler
	case flag.Name == "namespace", flag.Name == "move-to":
		return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			known := t.ask(cmd, []string{"context", listName, "--columns", "NAMESPACE", "--no-headers"})
			known = append(known, t.ask(cmd, []string{"namespace", listName, "-o", output.Name})...)
			return offered(append(known, "default"), begun, []string{"-"}), cobra.ShellCompDirectiveNoFileComp
		}
	case list != "":
		return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return offered(t.ask(cmd, strings.Fields(list+" -o "+output.Name)), begun, nil), cobra.ShellCompDirectiveNoFileComp
		}
	case strings.Contains(kind, "file") || strings.Contains(kind, "folder"):
		return nil
	}
	return cobra.NoFileCompletions
}

// completeHandler offers the handler names that executors of --group announce, else the
// names that jobs use.
func (t *tool) completeHandler(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var known []string
	if group := cmd.Flag("group"); group != nil && group.Value.String() != "" {
		known = t.ask(cmd, []string{"group", "handlers", group.Value.String(), "-o", output.Name})
	}
	if found := offered(known, begun, nil); len(found) > 0 {
		return found, cobra.ShellCompDirectiveNoFileComp
	}
	return offered(t.ask(cmd, []string{"job", listName, "--columns", "HANDLER", "--no-headers"}), begun, nil), cobra.ShellCompDirectiveNoFileComp
}

// completeColumns offers the table columns of a command that are not listed yet.
func (t *tool) completeColumns(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	lines := t.ask(cmd, slices.Concat(strings.Fields(cmd.CommandPath())[1:], args, []string{"-o", output.Wide}))
	if len(lines) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return further(strings.Fields(lines[0]), strings.ToUpper(begun)), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// further offers words for a comma-separated list that are not listed yet.
func further(words []string, begun string) []string {
	named, last := "", begun
	if at := strings.LastIndex(begun, ","); at >= 0 {
		named, last = begun[:at+1], begun[at+1:]
	}
	found := offered(slices.Clone(words), last, strings.Split(named, ","))
	for i := range found {
		found[i] = named + found[i]
	}
	return found
}

// groups offers the groups of the namespace, or the groups of its jobs when the user may
// not list groups.
func (t *tool) groups(cmd *cobra.Command, begun string) []string {
	found := t.ask(cmd, []string{"group", listName, "-o", output.Name})
	if found == nil {
		found = t.ask(cmd, []string{"job", listName, "--columns", "GROUP", "--no-headers"})
	}
	return offered(found, begun, nil)
}

// ask runs a command of this program against the same server and returns its output
// lines; none on failure or timeout.
func (t *tool) ask(cmd *cobra.Command, args []string) []string {
	parent := cmd.Context()
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithTimeout(parent, t.Complete)
	defer cancel()
	c := t.Config
	var out bytes.Buffer
	c.Stdout, c.Stderr, c.Stdin = &out, io.Discard, strings.NewReader("")
	root, asked := build(c)
	asked.server, asked.token, asked.tokenFile, asked.ca = t.server, t.token, t.tokenFile, t.ca
	asked.data, asked.namespace, asked.context = t.data, t.namespace, t.context
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

// offered returns the distinct lines with the prefix that the user typed, without those
// already given.
func offered(lines []string, begun string, named []string) (found []string) {
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		line = strings.TrimSpace(line)
		if line != "" && strings.HasPrefix(line, begun) && !slices.Contains(named, line) && len(found) < maxCompleted {
			found = append(found, line)
		}
	}
	return found
}
