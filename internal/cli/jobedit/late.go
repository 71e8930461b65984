package jobedit

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/schedule"
)

// lateFlags holds the flags for missed firings.
type lateFlags struct {
	policy                     kit.Choice
	threshold, window, spacing time.Duration
	most                       int
}

// add defines the flags.
func (f *lateFlags) add(flags *pflag.FlagSet) {
	f.policy = kit.NewChoice("", "skip", "fire-once", "fire-all")
	flags.Var(&f.policy, "misfire", "policy for missed firings (default skip)")
	flags.DurationVar(&f.threshold, "misfire-threshold", 0, "delay after which a firing counts as missed (default 5s)")
	flags.DurationVar(&f.window, "misfire-window", 0, "maximum age of missed firings to run, with --misfire fire-all (default all)")
	flags.IntVar(&f.most, "misfire-max", 0, "maximum number of missed firings to run, newest first, with --misfire fire-all (default 100)")
	flags.DurationVar(&f.spacing, "misfire-spacing", 0, "time between two catch-up runs, with --misfire fire-all (default none)")
}

// limits returns the misfire limits of the flags.
func (f *lateFlags) limits(flags *pflag.FlagSet) (api.MisfireLimits, error) {
	for _, name := range [...]string{"misfire-window", "misfire-max", "misfire-spacing"} {
		if flags.Changed(name) && f.policy.Word() != string(schedule.MisfireFireAll) {
			return api.MisfireLimits{}, output.Usagef("--%s requires --misfire fire-all", name)
		}
	}
	switch {
	case flags.Changed("misfire-threshold") && (f.threshold < time.Millisecond || f.threshold > schedule.MaxThreshold):
		return api.MisfireLimits{}, output.Usagef("--misfire-threshold: must be between 1ms and %s, got %s", timing.FormatDuration(schedule.MaxThreshold), f.threshold)
	case flags.Changed("misfire-window") && f.window < time.Millisecond:
		return api.MisfireLimits{}, output.Usagef("--misfire-window: must be at least 1ms, got %s", f.window)
	case flags.Changed("misfire-max") && (f.most < 1 || f.most > schedule.MaxMissed):
		return api.MisfireLimits{}, output.Usagef("--misfire-max: must be between 1 and %d, got %d", schedule.MaxMissed, f.most)
	case f.spacing < 0 || f.spacing > schedule.MaxSpacing:
		return api.MisfireLimits{}, output.Usagef("--misfire-spacing: must be between 0 and %s, got %s", timing.FormatDuration(schedule.MaxSpacing), f.spacing)
	}
	return api.MisfireLimits{
		Threshold: api.Duration(f.threshold), Window: api.Duration(f.window), Max: f.most, Spacing: api.Duration(f.spacing),
	}, nil
}
