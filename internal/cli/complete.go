package cli

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/cli/kit"
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
func addCompletion(t *kit.Tool, cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		addCompletion(t, sub)
	}
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			return completeArgs(t, cmd, args, begun)
		}
	}
	offer := func(flag *pflag.Flag) {
		if complete := completeFlag(t, flag); complete != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag.Name, complete) // fails only when the flag has one already
		}
	}
	cmd.LocalNonPersistentFlags().VisitAll(offer)
	cmd.PersistentFlags().VisitAll(offer)
}

// completeArgs offers keys for the next argument of a command.
func completeArgs(t *kit.Tool, cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	place := kit.Placeholder(cmd.Use, len(args))
	switch place {
	case "FILE", "DIR":
		return nil, cobra.ShellCompDirectiveDefault
	case "", "URL", "NEW":
		return nil, cobra.ShellCompDirectiveNoFileComp
	case "ACTION":
		return offered(strings.Fields(cmd.Annotations[kit.ActionsAnnotation]), begun, nil), cobra.ShellCompDirectiveNoFileComp
	case "GROUP":
		return groups(t, cmd, begun), cobra.ShellCompDirectiveNoFileComp
	}
	list := kit.FirstOf(listOf(cmd.CommandPath()), listFor(strings.ToLower(place)))
	if list == "" && cmd.HasParent() {
		_, sibling, _ := strings.Cut(cmd.Parent().CommandPath(), " ")
		list = sibling + " " + kit.ListName
	}
	return offered(ask(t, cmd, strings.Fields(list+" -o "+output.Name)), begun, args), cobra.ShellCompDirectiveNoFileComp
}

// completeFlag returns the completion of a flag, nil when the shell should complete file
// names.
func completeFlag(t *kit.Tool, flag *pflag.Flag) cobra.CompletionFunc {
	if words, ok := flag.Value.(*kit.Choice); ok {
		return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return offered(slices.Clone(words.Allowed), begun, nil), cobra.ShellCompDirectiveNoFileComp
		}
	}
	list := listFor(flag.Name)
	kind, _ := pflag.UnquoteUsage(flag)
	switch {
	case flag.Name == "columns":
		return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			return completeColumns(t, cmd, args, begun)
		}
	case flag.Name == "state" && flag.Value.Type() == "stringSlice":
		return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return further(kit.NewStateChoice().Allowed, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
	case flag.Name == "group":
		return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return groups(t, cmd, begun), cobra.ShellCompDirectiveNoFileComp
		}
	case flag.Name == "handler":
		return func(cmd *cobra.Command, a1 []string, begun string) ([]string, cobra.ShellCompDirective) {
			return completeHandler(t, cmd, a1, begun)
		}
	case flag.Name == "namespace", flag.Name == "move-to":
		return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			known := ask(t, cmd, []string{"context", kit.ListName, "--columns", "NAMESPACE", "--no-headers"})
			known = append(known, ask(t, cmd, []string{"namespace", kit.ListName, "-o", output.Name})...)
			return offered(append(known, "default"), begun, []string{"-"}), cobra.ShellCompDirectiveNoFileComp
		}
	case list != "":
		return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return offered(ask(t, cmd, strings.Fields(list+" -o "+output.Name)), begun, nil), cobra.ShellCompDirectiveNoFileComp
		}
	case strings.Contains(kind, "file") || strings.Contains(kind, "folder"):
		return nil
	}
	return cobra.NoFileCompletions
}

// completeHandler offers the handler names that executors of --group announce, else the
// names that jobs use.
func completeHandler(t *kit.Tool, cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var known []string
	if group := cmd.Flag("group"); group != nil && group.Value.String() != "" {
		known = ask(t, cmd, []string{"group", "handlers", group.Value.String(), "-o", output.Name})
	}
	if found := offered(known, begun, nil); len(found) > 0 {
		return found, cobra.ShellCompDirectiveNoFileComp
	}
	return offered(ask(t, cmd, []string{"job", kit.ListName, "--columns", "HANDLER", "--no-headers"}), begun, nil), cobra.ShellCompDirectiveNoFileComp
}

// completeColumns offers the table columns of a command that are not listed yet.
func completeColumns(t *kit.Tool, cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	lines := ask(t, cmd, slices.Concat(strings.Fields(cmd.CommandPath())[1:], args, []string{"-o", output.Wide}))
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
func groups(t *kit.Tool, cmd *cobra.Command, begun string) []string {
	found := ask(t, cmd, []string{"group", kit.ListName, "-o", output.Name})
	if found == nil {
		found = ask(t, cmd, []string{"job", kit.ListName, "--columns", "GROUP", "--no-headers"})
	}
	return offered(found, begun, nil)
}

// ask runs a command of this program against the same server and returns its output
// lines; none on failure or timeout.
func ask(t *kit.Tool, cmd *cobra.Command, args []string) []string {
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
	asked.Server, asked.Token, asked.TokenFile, asked.CA = t.Server, t.Token, t.TokenFile, t.CA
	asked.Data, asked.Namespace, asked.Context = t.Data, t.Namespace, t.Context
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
