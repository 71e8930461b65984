package cli

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// routeChoice returns the flag of the routes.
func routeChoice() choice {
	words := make([]string, 0, len(job.Routes()))
	for _, route := range job.Routes() {
		words = append(words, strings.ReplaceAll(string(route), "_", "-"))
	}
	return newChoice("", words...)
}

// deliveryFlags are the flags that say how runs wait for executors, and how long
// they are kept.
type deliveryFlags struct {
	priority               choice
	expire, deadline, keep time.Duration
	selector               []string
	keepRuns               int
}

// add defines the flags.
func (f *deliveryFlags) add(flags *pflag.FlagSet) {
	f.priority = newChoice("", string(job.PriorityHigh), string(job.PriorityNormal), string(job.PriorityLow))
	flags.Var(&f.priority, "priority", "which runs of a group go first when they wait (default normal)")
	flags.DurationVar(&f.expire, "expire-after", 0, "skip a run that no executor has taken so long after it was due (default never)")
	flags.DurationVar(&f.deadline, "deadline", 0, "give a run up as lost that is not over so long after its first attempt (default never)")
	flags.StringArrayVar(&f.selector, "select", nil, "`key=value` that an executor must have as a label; may be repeated")
	flags.DurationVar(&f.keep, "keep-for", 0, "keep runs so long after their end (default what the server keeps)")
	flags.IntVar(&f.keepRuns, "keep-runs", 0, "keep so many runs that are over (default all)")
}

// delivery makes the rules that the flags describe.
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
			return api.Delivery{}, usagef("--%s: %s is not between 0 and %s", span.flag, span.value, shortTime(span.most))
		}
	}
	if flags.Changed("keep-runs") && (f.keepRuns < 0 || f.keepRuns > job.MaxKeepRuns) {
		return api.Delivery{}, usagef("--keep-runs: %d is not between 0 and %d", f.keepRuns, job.MaxKeepRuns)
	}
	selector, err := pairs("select", f.selector)
	if err != nil {
		return api.Delivery{}, err
	}
	return api.Delivery{
		Priority: job.Priority(f.priority.word()), ExpireAfter: api.Duration(f.expire), Deadline: api.Duration(f.deadline),
		Selector: selector, KeepFor: api.Duration(f.keep), KeepRuns: f.keepRuns,
	}, nil
}

// pairs reads the key=value texts of a flag; none are nil.
func pairs(flag string, texts []string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	values := make(map[string]string, len(texts))
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, usagef("--%s: %q is not key=value", flag, text)
		}
		if _, twice := values[key]; twice {
			return nil, usagef("--%s: %s is named twice", flag, key)
		}
		values[key] = value
	}
	if err := job.CheckLabels("--"+flag, values); err != nil {
		return nil, usagef("%v", err)
	}
	return values, nil
}

// listed shows pairs in order of key, one a line.
func listed(pairs map[string]string) string {
	lines := make([]string, 0, len(pairs))
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		lines = append(lines, key+"="+pairs[key])
	}
	return strings.Join(lines, "\n")
}

// delivery returns the lines of a sheet about how the runs of a job wait and are
// kept.
func delivery(d api.Delivery) [][2]string {
	return [][2]string{
		{"Priority", string(d.Priority)},
		{"Expire after", span(d.ExpireAfter)},
		{"Deadline", span(d.Deadline)},
		{"Selects", listed(d.Selector)},
		{"Keep for", span(d.KeepFor)},
		{"Keep runs", positive(d.KeepRuns)},
	}
}
