package jobedit

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
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
