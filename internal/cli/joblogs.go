package cli

import (
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// logKeepFlags are the flags that say what servers keep of the logs of a job's runs.
type logKeepFlags struct {
	kept choice
	keep time.Duration
	most string
}

// add defines the flags.
func (f *logKeepFlags) add(flags *pflag.FlagSet) {
	f.kept = newChoice("", "on", "off")
	flags.Var(&f.kept, "logs", "whether servers keep the logs of the runs (default on)")
	flags.DurationVar(&f.keep, "keep-logs-for", 0, "keep the text of a log so long after the end of its attempt (default what the server keeps)")
	flags.StringVar(&f.most, "max-log", "", "keep so much text of an attempt's log, such as `16MiB` (default what the server keeps)")
}

// policy makes what the flags describe.
func (f *logKeepFlags) policy() (api.LogPolicy, error) {
	var most int64
	if err := readSize("max-log", f.most, &most); err != nil {
		return api.LogPolicy{}, usagef("--max-log: %q is not a size such as 16MiB", f.most)
	}
	p := job.LogPolicy{Off: f.kept.value == "off", KeepFor: f.keep, MaxBytes: most}
	switch {
	case p.KeepFor != 0 && (p.KeepFor < time.Minute || p.KeepFor > job.MaxKeepFor):
		return api.LogPolicy{}, usagef("--keep-logs-for: %s is not between 1m and %s", p.KeepFor, shortTime(job.MaxKeepFor))
	case f.most != "" && (most < job.MinLogBytes || most > job.MaxLogBytes):
		return api.LogPolicy{}, usagef("--max-log: %s is not between 1KiB and 4GiB", f.most)
	}
	return api.LogPolicy{Off: p.Off, KeepFor: api.Duration(p.KeepFor), MaxBytes: p.MaxBytes}, nil
}

// logsKept returns the lines of a sheet about what is kept of logs.
func logsKept(p api.LogPolicy) [][2]string {
	kept, most := "", ""
	if p.Off {
		kept = "not kept"
	}
	if p.MaxBytes > 0 {
		most = strconv.FormatInt(p.MaxBytes, 10) + " bytes"
	}
	return [][2]string{{"Logs", kept}, {"Keep logs for", span(p.KeepFor)}, {"Most of a log", most}}
}
