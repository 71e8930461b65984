package cli

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// eitherFlag is an argument that a flag can stand for.
var eitherFlag = regexp.MustCompile(`\([A-Z]`)

// sayArguments makes a command and all below it say which argument is missing, or too
// much, in the words of its usage line.
func sayArguments(cmd *cobra.Command) {
	// One that only holds others is asked for a command that there is not.
	if check := cmd.Args; check != nil && (!cmd.HasSubCommands() || len(argumentsOf(cmd.Use)) > 0) {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if _, own := errors.AsType[usageError](err); err == nil || own {
				return err
			}
			if eitherFlag.MatchString(cmd.Use) && len(args) > 0 {
				return err // how many there may be depends on flags
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
				return usagef("%v: did you mean '%s %s'?", err, cmd.CommandPath(), like[0])
			}
			return err
		}
	}
	for _, sub := range cmd.Commands() {
		sayArguments(sub)
	}
}

// argumentsOf returns the arguments of a usage line, such as KEY, [RUN] and ID...: what
// stands before its flags.
func argumentsOf(use string) []string {
	words := strings.Fields(use)[1:]
	for i, word := range words {
		if first := strings.TrimLeft(word, "["); first == "" || first[0] < 'A' || first[0] > 'Z' {
			return words[:i]
		}
	}
	return words
}

// wrongArguments says what is wrong with the arguments of a command; as it was told when
// their number alone does not say.
func wrongArguments(path string, names, args []string, told error) error {
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
		return usagef("%s is missing: %s", strings.TrimRight(names[len(args)], ".…"), whole)
	case len(args) > len(names) && !endless && len(names) == 0:
		return usagef("%s takes no arguments", path)
	case len(args) > len(names) && !endless: // which may be a secret, and is not shown
		return usagef("too many arguments: %s", whole)
	}
	return told
}
