package alarm

import (
	"cmp"
	"slices"
	"time"
)

// Defaults of a Rule.
const (
	defaultStreak   = 3
	defaultBacklog  = 1000
	defaultPercent  = 50
	defaultMinRuns  = 5
	defaultWindow   = time.Hour
	defaultWithin   = 5 * time.Minute
	defaultFor      = 2 * time.Minute
	defaultWait     = 10 * time.Second
	defaultInterval = 5 * time.Minute
	defaultRepeat   = 4 * time.Hour
)

// WithDefaults returns the rule with defaults in its empty fields. Longer and Factor have
// no default and are unchanged. Lists are shared.
func (r *Rule) WithDefaults() Rule {
	full := *r
	count := defaultStreak
	if slices.Contains(r.Kinds, KindBacklog) {
		count = defaultBacklog
	}
	full.Severity = cmp.Or(r.Severity, Warning)
	full.GroupBy = cmp.Or(r.GroupBy, ByPool)
	full.Count = cmp.Or(r.Count, count)
	full.Percent = cmp.Or(r.Percent, defaultPercent)
	full.MinRuns = cmp.Or(r.MinRuns, defaultMinRuns)
	full.Window = cmp.Or(r.Window, defaultWindow)
	full.Within = cmp.Or(r.Within, defaultWithin)
	full.For = cmp.Or(r.For, defaultFor)
	full.Wait = cmp.Or(r.Wait, defaultWait)
	full.Interval = cmp.Or(r.Interval, defaultInterval)
	full.Repeat = cmp.Or(r.Repeat, defaultRepeat)
	return full
}

// defaultPerMinute is the default message limit of a channel.
const defaultPerMinute = 20

// WithDefaults returns the channel with defaults in its empty fields. Maps are shared.
func (c *Channel) WithDefaults() Channel {
	full := *c
	full.Language = cmp.Or(c.Language, English)
	full.PerMinute = cmp.Or(c.PerMinute, defaultPerMinute)
	return full
}

// The languages of messages.
const (
	English = "en"
	Chinese = "zh"
)
