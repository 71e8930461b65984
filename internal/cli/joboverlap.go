package cli

import (
	"strconv"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// overlapFlags are the flags that say whose runs the overlap of a job counts, and
// how many of them wait.
type overlapFlags struct {
	scope choice
	queue int
}

// add defines the flags.
func (f *overlapFlags) add(flags *pflag.FlagSet) {
	f.scope = newChoice("", string(job.ScopeCluster), string(job.ScopeExecutor))
	flags.Var(&f.scope, "overlap-scope", "whose runs --overlap counts: those on all executors together, or each executor its own (default cluster)")
	flags.IntVar(&f.queue, "overlap-queue", 0, "runs that may wait for others of the job, in the cluster; more are skipped (default 1000)")
}

// check refuses numbers that no job can have.
func (f *overlapFlags) check(flags *pflag.FlagSet) error {
	if flags.Changed("overlap-queue") && (f.queue < 1 || f.queue > job.MaxOverlapQueue) {
		return usagef("--overlap-queue: %d is not between 1 and %d", f.queue, job.MaxOverlapQueue)
	}
	return nil
}

// overlap returns the lines of a sheet about runs of a job that meet others.
func overlap(j api.Job) [][2]string {
	queue := ""
	if j.OverlapScope == job.ScopeCluster && (j.Overlap == job.OverlapSerial || j.Overlap == job.OverlapConcurrent) {
		queue = strconv.Itoa((&job.Job{OverlapQueue: j.OverlapQueue}).OverlapRoom())
	}
	return [][2]string{
		{"Overlap", string(j.Overlap)},
		{"Concurrency", positive(j.Concurrency)},
		{"Counted by", string(j.OverlapScope)},
		{"May wait", queue},
	}
}
