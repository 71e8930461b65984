package pagetest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Program is a program whose command lines pages show.
type Program struct{ root *cobra.Command }

// Of returns the program that a command is the root of.
func Of(root *cobra.Command) *Program {
	root.InitDefaultHelpCmd()
	return &Program{root}
}

// arguments returns the arguments of a line that calls the program; false for a line of others.
func (p *Program) arguments(line []string) ([]string, bool) {
	for len(line) > 0 && (aVariable.MatchString(line[0]) && strings.Contains(line[0], "=") || line[0] == "$" || line[0] == "sudo") {
		line = line[1:]
	}
	if len(line) > 2 && line[0] == "go" && line[1] == "run" {
		line = append([]string{path.Base(line[2])}, line[3:]...)
	}
	if len(line) == 0 || strings.TrimPrefix(line[0], "./") != p.root.Name() {
		return nil, false
	}
	return line[1:], true
}

// wrongLine says what a program would say of the arguments in a block of code, without
// doing what they ask for.
func wrongLine(root *cobra.Command, args []string) error {
	if slices.ContainsFunc(args, func(word string) bool { return strings.Contains(word, "…") }) {
		return wrongMention(root, args) // the page leaves something out
	}
	root.InitDefaultCompletionCmd(args...)
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	defer forget(cmd.Flags())
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if !cmd.Runnable() {
		return fmt.Errorf("%s only holds others", cmd.CommandPath())
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// forget puts flags back to what they are without a command line.
func forget(flags *pflag.FlagSet) {
	flags.Visit(func(flag *pflag.Flag) {
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			_ = list.Replace(nil) // an empty list is fit for every flag
		} else {
			_ = flag.Value.Set(flag.DefValue)
		}
		flag.Changed = false
	})
}

// wrongMention says what is wrong with a command that a sentence names: a subcommand or
// a flag that there is not. Arguments and values may be missing.
func wrongMention(root *cobra.Command, args []string) error {
	cmd := root
	for i, word := range args {
		sub := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Name() == word || c.HasAlias(word) })
		if sub < 0 {
			if letters := strings.TrimLeft(word, "-"); i == 0 && word == letters && word != strings.ToUpper(word) && word != "completion" {
				return fmt.Errorf("%s has no command %s", root.Name(), word)
			}
			if cmd.HasSubCommands() && cmd != root && regexp.MustCompile(`^[a-z-]+$`).MatchString(word) && !strings.HasPrefix(word, "-") && cmd.ValidateArgs([]string{word}) != nil {
				return fmt.Errorf("%s has no command %s", cmd.CommandPath(), word)
			}
			break
		}
		cmd = cmd.Commands()[sub]
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	for _, word := range args {
		name, _, _ := strings.Cut(word, "=")
		switch {
		case aFlag.MatchString(name) && cmd.Flag(name[2:]) == nil && cmd != root:
			return fmt.Errorf("%s has no flag %s", cmd.CommandPath(), name)
		case len(name) == 2 && name[0] == '-' && name[1] != '-' && cmd != root && shorthand(cmd, name[1:]) == nil:
			return fmt.Errorf("%s has no flag %s", cmd.CommandPath(), name)
		}
	}
	return nil
}

func shorthand(cmd *cobra.Command, letter string) (found *pflag.Flag) {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.InheritedFlags()} {
		if flag := flags.ShorthandLookup(letter); flag != nil {
			found = flag
		}
	}
	return found
}
