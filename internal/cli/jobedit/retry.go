package jobedit

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/retry"
)

// retry returns the retry policy of the flags.
func (f *jobFlags) retry(flags *pflag.FlagSet) (api.Retry, error) {
	if f.retries == 0 && len(f.delays) == 0 {
		for _, name := range []string{"retry-delay", "retry-multiplier", "retry-max", "retry-jitter", "retry-on"} {
			if flags.Changed(name) {
				return api.Retry{}, output.Usagef("--%s requires --retries or --retry-delays", name)
			}
		}
		return api.Retry{}, nil
	}
	if f.delay < 0 || f.longest < 0 {
		return api.Retry{}, output.Usagef("--retry-delay and --retry-max must not be negative")
	}
	made := api.Retry{Tries: f.retries}
	if len(f.delays) == 0 || flags.Changed("retry-jitter") { // an explicit list has no jitter by default
		made.Jitter = f.jitter
	}
	for _, end := range f.retryOn {
		word := strings.ReplaceAll(end, "-", "_")
		if !slices.Contains([]string{retry.OnFailed, retry.OnTimedOut, retry.OnLost}, word) {
			return api.Retry{}, output.Usagef("--retry-on: %q must be failed, timed-out or lost", end)
		}
		made.On = append(made.On, word)
	}
	if len(f.delays) == 0 {
		made.Initial, made.Multiplier, made.Max = api.Duration(f.delay), f.multiplier, api.Duration(max(f.longest, f.delay))
		return made, nil
	}
	for _, name := range []string{"retry-delay", "retry-multiplier", "retry-max"} {
		if flags.Changed(name) {
			return api.Retry{}, output.Usagef("--%s and --retry-delays are mutually exclusive: the list defines every delay", name)
		}
	}
	for _, delay := range f.delays {
		if delay < 0 {
			return api.Retry{}, output.Usagef("--retry-delays: must not be negative, got %s", delay)
		}
		made.Delays = append(made.Delays, api.Duration(delay))
	}
	if made.Tries == 0 {
		made.Tries = len(made.Delays)
	}
	return made, nil
}
