package output

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// DescribeFlagErrors makes a command and its subcommands report flag errors in plain words, and reject
// help about unknown commands. Call it on a complete root right before it runs.
func DescribeFlagErrors(root *cobra.Command) {
	root.SetFlagErrorFunc(describeFlag)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, sub := range root.Commands() {
		switch sub.Name() {
		case "help":
			sub.Args = func(_ *cobra.Command, topic []string) error { return findTopic(root, topic) }
		case "completion":
			Parent(sub)
		}
	}
	describeMissing(root)
}

// describeMissing makes a command and its subcommands report missing flags.
func describeMissing(cmd *cobra.Command) {
	if cmd.PreRunE == nil {
		cmd.PreRunE = func(cmd *cobra.Command, _ []string) (err error) {
			cmd.Flags().VisitAll(func(flag *pflag.Flag) {
				if len(flag.Annotations[cobra.BashCompOneRequiredFlag]) > 0 && !flag.Changed && err == nil {
					_, usage := pflag.UnquoteUsage(flag)
					err = Usagef("--%s is required: %s", flag.Name, usage)
				}
			})
			return err
		}
	}
	for _, sub := range cmd.Commands() {
		describeMissing(sub)
	}
}

// findTopic returns an error unless the topic is the path of a command.
func findTopic(root *cobra.Command, topic []string) error {
	at, rest, err := root.Find(topic)
	if err != nil || len(rest) == 0 {
		return err
	}
	wrong := fmt.Sprintf("unknown command %q for %q", rest[0], at.CommandPath())
	at.SuggestionsMinimumDistance = 2
	if like := at.SuggestionsFor(rest[0]); len(like) > 0 {
		wrong += fmt.Sprintf(": did you mean '%s %s'?", at.CommandPath(), like[0])
	}
	return Usagef("%s", wrong)
}

// describeFlag describes an error in a flag.
func describeFlag(cmd *cobra.Command, err error) error {
	if unfit, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return Usagef("--%s: %s", unfit.GetFlag().Name, Unfit(unfit.GetFlag(), unfit.GetValue(), unfit.Unwrap()))
	}
	if bare, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		kind, _ := pflag.UnquoteUsage(bare.GetFlag())
		return Usagef("--%s needs a value: %s", bare.GetFlag().Name, kind)
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		if like := LikeFlag(cmd.Flags(), unknown.GetSpecifiedName()); like != "" {
			return Usagef("%v: did you mean --%s?", err, like)
		}
	}
	return err
}

// LikeFlag suggests a flag for a wrong name, "" for none.
func LikeFlag(flags *pflag.FlagSet, name string) string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	if len(name) <= 5 {
		names.SuggestionsMinimumDistance = 1 // two different letters of four make another word
	}
	flags.VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names.AddCommand(&cobra.Command{Use: flag.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	best := ""
	for _, like := range names.SuggestionsFor(name) {
		if best == "" || common(like, name) > common(best, name) {
			best = like
		}
	}
	return best
}

// common returns the length of the common prefix of two names.
func common(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Confidential marks the value of a flag that may contain a key: messages never repeat it.
type Confidential interface{ Confidential() }

// Unfit describes an invalid flag value and the expected type. cause is the error of the flag.
func Unfit(flag *pflag.Flag, text string, cause error) string {
	if _, hide := flag.Value.(Confidential); hide {
		return cause.Error()
	}
	switch kind := flag.Value.Type(); {
	case errors.Is(cause, strconv.ErrRange):
		return fmt.Sprintf("%q is out of range", text)
	case strings.HasPrefix(kind, "uint"):
		return fmt.Sprintf("%q is not a non-negative integer", text)
	case strings.HasPrefix(kind, "int"), kind == "count":
		return fmt.Sprintf("%q is not an integer", text)
	case kind == "duration":
		return fmt.Sprintf("%q is not a duration such as 500ms, 30s or 1h30m", text)
	case kind == "bool":
		return fmt.Sprintf("%q must be true or false", text)
	case strings.HasPrefix(kind, "float"):
		return fmt.Sprintf("%q is not a number", text)
	}
	return fmt.Sprintf("%q: %v", text, cause)
}
