package jobedit

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

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
