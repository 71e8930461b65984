package cli

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// routeChoice returns the flag of the routing strategies.
func routeChoice() choice {
	words := make([]string, 0, len(job.Routes()))
	for _, route := range job.Routes() {
		words = append(words, strings.ReplaceAll(string(route), "_", "-"))
	}
	return newChoice("", words...)
}

// deliveryFlags holds the flags for dispatch and retention of runs.
type deliveryFlags struct {
	priority               choice
	expire, deadline, keep time.Duration
	selector               []string
	keepRuns               int
}

// add defines the flags.
func (f *deliveryFlags) add(flags *pflag.FlagSet) {
	f.priority = newChoice("", string(job.PriorityHigh), string(job.PriorityNormal), string(job.PriorityLow))
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
			return api.Delivery{}, output.Usagef("--%s: must be between 0 and %s, got %s", span.flag, shortTime(span.most), span.value)
		}
	}
	if flags.Changed("keep-runs") && (f.keepRuns < 0 || f.keepRuns > job.MaxKeepRuns) {
		return api.Delivery{}, output.Usagef("--keep-runs: must be between 0 and %d, got %d", job.MaxKeepRuns, f.keepRuns)
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

// pairs parses the key=value texts of a flag; nil for none.
func pairs(flag string, texts []string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	values := make(map[string]string, len(texts))
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, output.Usagef("--%s: %q must have the form key=value", flag, text)
		}
		if _, twice := values[key]; twice {
			return nil, output.Usagef("--%s: %s is given twice", flag, key)
		}
		values[key] = value
	}
	if err := job.CheckLabels("--"+flag, values); err != nil {
		return nil, output.Usagef("%v", err)
	}
	return values, nil
}

// listed formats pairs sorted by key, one per line.
func listed(pairs map[string]string) string {
	lines := make([]string, 0, len(pairs))
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		lines = append(lines, key+"="+pairs[key])
	}
	return strings.Join(lines, "\n")
}

// delivery returns the rows about dispatch and retention of a job's runs.
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
