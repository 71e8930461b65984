package jobedit

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

// routeChoice returns the flag of the routing strategies.
func routeChoice() kit.Choice {
	words := make([]string, 0, len(job.Routes()))
	for _, route := range job.Routes() {
		words = append(words, strings.ReplaceAll(string(route), "_", "-"))
	}
	return kit.NewChoice("", words...)
}

// deliveryFlags holds the flags for dispatch and retention of runs.
type deliveryFlags struct {
	priority               kit.Choice
	expire, deadline, keep time.Duration
	selector               []string
	keepRuns               int
}

// add defines the flags.
func (f *deliveryFlags) add(flags *pflag.FlagSet) {
	f.priority = kit.NewChoice("", string(job.PriorityHigh), string(job.PriorityNormal), string(job.PriorityLow))
	flags.Var(&f.priority, "priority", "priority among waiting runs of a group (default normal)")
	flags.DurationVar(&f.expire, "expire-after", 0, "skip a run that is not dispatched within this time (default never)")
	flags.DurationVar(&f.deadline, "deadline", 0, "mark a run as lost if it has not ended within this time after its first attempt (default never)")
	flags.StringArrayVar(&f.selector, "select", nil, "`key=value` label that an executor must have; may be repeated")
	flags.DurationVar(&f.keep, "keep-for", 0, "retention of finished runs (default that of the server)")
	flags.IntVar(&f.keepRuns, "keep-runs", 0, "maximum number of finished runs to keep (default all)")
}

// delivery returns the delivery rules of the flags.
func (f *deliveryFlags) delivery(flags *pflag.FlagSet) (api.Delivery, error) {
	for _, span := range []struct {
		flag  string
		value time.Duration
		most  time.Duration
	}{
		{"expire-after", f.expire, job.MaxExpireAfter},
		{"deadline", f.deadline, job.MaxDeadline},
		{"keep-for", f.keep, job.MaxKeepFor},
	} {
		if span.value < 0 || span.value > span.most {
			return api.Delivery{}, output.Usagef("--%s: must be between 0 and %s, got %s", span.flag, timing.FormatDuration(span.most), span.value)
		}
	}
	if flags.Changed("keep-runs") && (f.keepRuns < 0 || f.keepRuns > job.MaxKeepRuns) {
		return api.Delivery{}, output.Usagef("--keep-runs: must be between 0 and %d, got %d", job.MaxKeepRuns, f.keepRuns)
	}
	selector, err := kit.ParsePairs("select", f.selector)
	if err != nil {
		return api.Delivery{}, err
	}
	return api.Delivery{
		Priority: job.Priority(f.priority.Word()), ExpireAfter: api.Duration(f.expire), Deadline: api.Duration(f.deadline),
		Selector: selector, KeepFor: api.Duration(f.keep), KeepRuns: f.keepRuns,
	}, nil
}

// templateFlags holds the flags for a job with a template.
type templateFlags struct {
	key     string
	version int64
}

// add defines the flags.
func (f *templateFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.key, "template", "", "`key` of the job whose code this job runs, resolved at dispatch")
	flags.Int64Var(&f.version, "template-version", 0, "pin the template to this `version`; later changes of its code are ignored")
}

// check rejects flags that require --template.
func (f *templateFlags) check(flags *pflag.FlagSet) error {
	if flags.Changed("template-version") && !flags.Changed("template") {
		return output.Usagef("--template-version requires --template")
	}
	return nil
}

// overlapFlags holds the flags for the scope and the queue of the overlap policy.
type overlapFlags struct {
	scope kit.Choice
	queue int
}

// add defines the flags.
func (f *overlapFlags) add(flags *pflag.FlagSet) {
	f.scope = kit.NewChoice("", string(job.ScopeCluster), string(job.ScopeExecutor))
	flags.Var(&f.scope, "overlap-scope", "concurrency scope of --overlap: all executors together, or each executor separately (default cluster)")
	flags.IntVar(&f.queue, "overlap-queue", 0, "queue limit of runs that wait for the previous run in the cluster; further runs are skipped (default 1000)")
}

// check rejects values that are out of range.
func (f *overlapFlags) check(flags *pflag.FlagSet) error {
	if flags.Changed("overlap-queue") && (f.queue < 1 || f.queue > job.MaxOverlapQueue) {
		return output.Usagef("--overlap-queue: must be between 1 and %d, got %d", job.MaxOverlapQueue, f.queue)
	}
	return nil
}

// kin parses the children of the flags.
func (f *jobFlags) kin() ([]api.Child, error) {
	var all []api.Child
	for _, text := range f.children {
		name, param, _ := strings.Cut(text, "=")
		key, on, named := strings.Cut(name, ":")
		child := api.Child{Key: key, On: job.ChildOnSuccess, Param: param}
		if named {
			child.On = job.ChildOn(on)
		}
		if err := job.CheckKey("--child", key); err != nil {
			return nil, output.Usagef("%v", err)
		}
		if !slices.Contains(job.ChildOns(), child.On) {
			return nil, output.Usagef("--child: %q in %q must be success, failure or always", on, name)
		}
		all = append(all, child)
	}
	return all, nil
}

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

// logKeepFlags holds the flags for log retention.
type logKeepFlags struct {
	kept kit.Choice
	keep time.Duration
	most string
}

// add defines the flags.
func (f *logKeepFlags) add(flags *pflag.FlagSet) {
	f.kept = kit.NewChoice("", "on", "off")
	flags.Var(&f.kept, "logs", "whether servers store the logs of the runs (default on)")
	flags.DurationVar(&f.keep, "keep-logs-for", 0, "retention of logs after the end of their attempt (default that of the server)")
	flags.StringVar(&f.most, "max-log", "", "maximum stored size of the log of an attempt, such as `16MiB` (default that of the server)")
}

// policy returns the log policy of the flags.
func (f *logKeepFlags) policy() (api.LogPolicy, error) {
	var most int64
	if err := kit.ParseSize("max-log", f.most, &most); err != nil {
		return api.LogPolicy{}, output.Usagef("--max-log: %q is not a size such as 16MiB", f.most)
	}
	p := job.LogPolicy{Off: f.kept.Value == "off", KeepFor: f.keep, MaxBytes: most}
	switch {
	case p.KeepFor != 0 && (p.KeepFor < time.Minute || p.KeepFor > job.MaxKeepFor):
		return api.LogPolicy{}, output.Usagef("--keep-logs-for: must be between 1m and %s, got %s", timing.FormatDuration(job.MaxKeepFor), p.KeepFor)
	case f.most != "" && (most < job.MinLogBytes || most > job.MaxLogBytes):
		return api.LogPolicy{}, output.Usagef("--max-log: must be between 1KiB and 4GiB, got %s", f.most)
	}
	return api.LogPolicy{Off: p.Off, KeepFor: api.Duration(p.KeepFor), MaxBytes: p.MaxBytes}, nil
}

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
