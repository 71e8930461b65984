package jobs

import "github.com/orthd/orth/job"

// checkOverlap reports what is wrong with whose runs a job counts, and how many
// of them may wait.
func checkOverlap(j *job.Job) error {
	if j.OverlapQueue < 0 || j.OverlapQueue > job.MaxOverlapQueue {
		return job.FieldErrorf("overlap_queue", "%d is not between 1 and %d, or 0 for the default of %d",
			j.OverlapQueue, job.MaxOverlapQueue, job.DefaultOverlapQueue)
	}
	return oneOf("overlap_scope", j.OverlapScope, job.ScopeCluster, job.ScopeExecutor)
}
