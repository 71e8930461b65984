package cli

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/schedule"
)

// lateFlags are the flags that say what becomes of firings that were missed.
type lateFlags struct {
	policy                     choice
	threshold, window, spacing time.Duration
	most                       int
}

// add defines the flags.
func (f *lateFlags) add(flags *pflag.FlagSet) {
	f.policy = newChoice("", "skip", "fire-once", "fire-all")
	flags.Var(&f.policy, "misfire", "what becomes of missed firings (default skip)")
	flags.DurationVar(&f.threshold, "misfire-threshold", 0, "how late a firing may come without being missed (default 5s)")
	flags.DurationVar(&f.window, "misfire-window", 0, "make up for firings no older than this, with --misfire fire-all (default all)")
	flags.IntVar(&f.most, "misfire-max", 0, "make up for so many firings at most, the newest, with --misfire fire-all (default 100)")
	flags.DurationVar(&f.spacing, "misfire-spacing", 0, "time from one made-up run to the next, with --misfire fire-all (default none)")
}

// limits makes the limits.
func (f *lateFlags) limits(flags *pflag.FlagSet) (api.MisfireLimits, error) {
	for _, name := range [...]string{"misfire-window", "misfire-max", "misfire-spacing"} {
		if flags.Changed(name) && f.policy.word() != string(schedule.MisfireFireAll) {
			return api.MisfireLimits{}, usagef("--%s is only for --misfire fire-all", name)
		}
	}
	switch {
	case flags.Changed("misfire-threshold") && (f.threshold < time.Millisecond || f.threshold > schedule.MaxThreshold):
		return api.MisfireLimits{}, usagef("--misfire-threshold: %s is not between 1ms and %s", f.threshold, shortTime(schedule.MaxThreshold))
	case flags.Changed("misfire-window") && f.window < time.Millisecond:
		return api.MisfireLimits{}, usagef("--misfire-window: %s is shorter than 1ms", f.window)
	case flags.Changed("misfire-max") && (f.most < 1 || f.most > schedule.MaxMissed):
		return api.MisfireLimits{}, usagef("--misfire-max: %d is not between 1 and %d", f.most, schedule.MaxMissed)
	case f.spacing < 0 || f.spacing > schedule.MaxSpacing:
		return api.MisfireLimits{}, usagef("--misfire-spacing: %s is not between 0 and %s", f.spacing, shortTime(schedule.MaxSpacing))
	}
	return api.MisfireLimits{
		Threshold: api.Duration(f.threshold), Window: api.Duration(f.window), Max: f.most, Spacing: api.Duration(f.spacing),
	}, nil
}
