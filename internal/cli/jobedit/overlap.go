package jobedit

import (
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

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
