package kit

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
)

// eitherFlag matches an argument that a flag can replace.
var eitherFlag = regexp.MustCompile(`\([A-Z]`)

// describeArguments makes a command and its subcommands report missing and excess arguments
// with the names of the usage line.
func describeArguments(cmd *cobra.Command) {
	// A command group without a matching subcommand reports the unknown command.
	if check := cmd.Args; check != nil && (!cmd.HasSubCommands() || len(argumentsOf(cmd.Use)) > 0) {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if _, own := errors.AsType[output.UsageError](err); err == nil || own {
				return err
			}
			if eitherFlag.MatchString(cmd.Use) && len(args) > 0 {
				return err // the allowed number depends on flags
			}
			return wrongArguments(cmd.CommandPath(), argumentsOf(cmd.Use), args, err)
		}
	}
	if check := cmd.Args; check != nil && cmd.HasSubCommands() && len(argumentsOf(cmd.Use)) == 0 {
		cmd.SuggestionsMinimumDistance = 2
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err == nil || len(args) == 0 {
				return err
			}
			if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
				return output.Usagef("%v: did you mean '%s %s'?", err, cmd.CommandPath(), like[0])
			}
			return err
		}
	}
	for _, sub := range cmd.Commands() {
		describeArguments(sub)
	}
}

// argumentsOf returns the arguments of a usage line, such as KEY, [RUN] and ID...: the
// words before its flags.
func argumentsOf(use string) []string {
	words := strings.Fields(use)[1:]
	for i, word := range words {
		if first := strings.TrimLeft(word, "["); first == "" || first[0] < 'A' || first[0] > 'Z' {
			return words[:i]
		}
	}
	return words
}

// wrongArguments describes the problem with the arguments of a command; it returns the
// given error when the number of arguments is not the problem.
func wrongArguments(path string, names, args []string, cause error) error {
	needed, endless := 0, false
	for _, name := range names {
		if !strings.HasPrefix(name, "[") {
			needed++
		}
		endless = endless || strings.HasSuffix(name, "...") || strings.HasSuffix(name, "…")
	}
	whole := strings.Join(append([]string{path}, names...), " ")
	switch {
	case len(args) < needed && len(args) < len(names):
		return output.Usagef("%s is required: %s", strings.TrimRight(names[len(args)], ".…"), whole)
	case len(args) > len(names) && !endless && len(names) == 0:
		return output.Usagef("%s takes no arguments", path)
	case len(args) > len(names) && !endless: // the extra argument may be a secret: do not print it
		return output.Usagef("too many arguments: %s", whole)
	}
	return cause
}
