package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// report prints the error and returns the exit code. at is the command that ran.
func (t *tool) report(at *cobra.Command, err error) int {
	if err == nil {
		return output.ExitOK
	}
	if errors.Is(err, errShown) || errors.Is(err, errRunBad) || errors.Is(err, errChanges) {
		return exitCode(err)
	}
	if _, ok := errors.AsType[output.UsageError](err); ok || !t.started {
		output.PrintUsageError(t.Stderr, at, err)
		return output.ExitUsage
	}
	message, hint := explain(err)
	output.PrintFailure(t.Stderr, "orth", asArgument(at, message), hint)
	return exitCode(err)
}

// asArgument rewrites a message about a field that is an argument of the command.
func asArgument(at *cobra.Command, message string) string {
	name, rest, flag := strings.Cut(strings.TrimPrefix(message, "--"), ": ")
	argument := strings.ToUpper(name)
	if !flag || !strings.HasPrefix(message, "--") || at.Flags().Lookup(name) != nil || !slices.Contains(argumentsOf(at.Use), argument) {
		return message
	}
	return argument + ": " + rest
}

// explain returns the message and the hint of an error, in terms of flags.
func explain(err error) (message, hint string) {
	message, hint = output.Explain(err, flagWord)
	// Only errors of this process have a cause: errors of a server have none.
	known, ok := errors.AsType[*job.Error](err)
	if ok && !errors.Is(err, context.Canceled) && known.Kind == job.Unreachable && hint == "" && errors.Unwrap(known) != nil {
		hint = "start one with 'orth dev' or 'orth server', or set another with --server"
	}
	return message, hint
}

// errorOf adds the file or object that an error is about: the message of a known error
// replaces the errors that wrap it. Errors about flags stay unchanged.
func errorOf(what string, err error) error {
	known, ok := errors.AsType[*job.Error](err)
	switch {
	case !ok:
		return fmt.Errorf("%s: %w", what, err)
	case known.Field != "":
		return err
	}
	described := *known
	described.Message = what + ": " + described.Message
	return &described
}

// flagWord returns the flag of a field, "" for a field with several flags. A name that is
// not an API field, such as a path, stays unchanged.
func flagWord(field string) string {
	if rest, ok := strings.CutPrefix(field, "schedule.of["); ok {
		if _, member, ok := strings.Cut(rest, "]."); ok {
			field = "schedule." + member
		}
	}
	at := slices.IndexFunc(flagWords[:], func(row [2]string) bool { return row[0] == field })
	if at >= 0 {
		return flagWords[at][1]
	}
	for _, pair := range [...][2]string{{"settings.", "--set "}, {"secrets.", "--secret "}} { // fields of a channel
		if name, of := strings.CutPrefix(field, pair[0]); of {
			return pair[1] + name
		}
	}
	if strings.HasPrefix(field, "-") || strings.ContainsAny(field, `./\`) {
		return field
	}
	return "--" + strings.ReplaceAll(field, "_", "-")
}

// flagWords maps fields to flags with other names.
var flagWords = [...][2]string{
	{"", ""},
	{"body", ""},
	{"schedule", ""},
	{"key", "KEY"},
	{"id", "ID"},
	{"version", "--if-version"},
	{"schedule.kind", ""},
	{"schedule.of", ""},
	{"schedule.cron", "--cron"},
	{"schedule.daily", "--daily"},
	{"schedule.every", "--every"},
	{"schedule.after", "--after"},
	{"schedule.at", "--at"},
	{"schedule.delay", "--in"},
	{"schedule.zone", "--zone"},
	{"schedule.dst", "--dst"},
	{"schedule.start", "--from"},
	{"schedule.end", "--until"},
	{"schedule.count", "--count"},
	{"schedule.jitter", "--jitter"},
	{"schedule.calendars", "--calendar"},
	{"schedule.excluded", "--excluded"},
	{"addresses", "--address"},
	{"delivery.priority", "--priority"},
	{"delivery.expire_after", "--expire-after"},
	{"delivery.deadline", "--deadline"},
	{"delivery.selector", "--select"},
	{"delivery.keep_for", "--keep-for"},
	{"delivery.keep_runs", "--keep-runs"},
	{"alarm_emails", "--alarm-email"},
	{"inputs", "--input"},
	{"logs.off", "--logs"},
	{"logs.keep_for", "--keep-logs-for"},
	{"logs.max_bytes", "--max-log"},
	{"misfire_limits.threshold", "--misfire-threshold"},
	{"misfire_limits.window", "--misfire-window"},
	{"misfire_limits.max", "--misfire-max"},
	{"misfire_limits.spacing", "--misfire-spacing"},
	{"window.cron", "--cron"},
	{"window.zone", "--zone"},
	{"window.for", "--for"},
	{"groups", "--group"},
	{"channels", "--channel"},
	{"text", "--file"},
	{"value", "the value"},
	{"handler.name", "--handler"},
	{"handler.source", "--shell"},
	{"retry.tries", "--retries"},
	{"retry.initial", "--retry-delay"},
	{"retry.multiplier", "--retry-multiplier"},
	{"retry.max", "--retry-max"},
	{"retry.jitter", "--retry-jitter"},
	{"children", "--child"},
	{"nodes", "nodes"},
	{"enabled", "--enable"},
	{"longer", "--longer-than"},
	{"recovered", "--notify-resolved"},
	{"length", "--duration"},
	{"shipped", "--builtin"},
	{"final", "--permanent"},
}
