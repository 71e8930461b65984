package job

import "fmt"

// OverlapScope says who counts the runs that are under way when a Run meets a
// busy Job.
type OverlapScope string

// The scopes. Empty is that of the executor.
const (
	// ScopeCluster counts all runs of the job, wherever they are: the server
	// decides before it sends one.
	ScopeCluster OverlapScope = "cluster"
	// ScopeExecutor leaves it to each executor, which counts its own.
	ScopeExecutor OverlapScope = "executor"
)

// Limits of the runs of a job that wait for others of it.
const (
	DefaultOverlapQueue = 1_000
	MaxOverlapQueue     = 100_000
)

// OverlapLimit returns how many runs of the job may be under way at once, on all
// executors together; 0 means that the server does not count them.
func (j *Job) OverlapLimit() int {
	switch {
	case j.OverlapScope != ScopeCluster:
		return 0
	case j.Overlap == OverlapConcurrent:
		return max(j.Concurrency, 1)
	}
	return 1
}

// OverlapRoom returns how many runs of the job may wait for others of it.
func (j *Job) OverlapRoom() int {
	if j.OverlapQueue <= 0 {
		return DefaultOverlapQueue
	}
	return j.OverlapQueue
}

// BusyReason tells why a run waits that meets a busy job: run is one of those
// under way, and limit how many may be.
func BusyReason(rule Overlap, limit int, run int64) string {
	if limit > 1 {
		return fmt.Sprintf("waits: %d runs of this job are under way, run %d among them, and no more may be (%s)", limit, run, rule)
	}
	return fmt.Sprintf("waits for run %d of the same job (%s)", run, rule)
}

// CrowdedOut tells why a run cannot be made that starts at once: run is one of
// those of the job that are under way, or the first of those that wait, and limit
// how many may be under way. It is a Conflict, of [ErrBusy].
func CrowdedOut(rule Overlap, limit int, run int64) *Error {
	if limit > 1 {
		return Errorf(Conflict, "%w: %d, and run %d is one of those before it (%s)", ErrBusy, limit, run, rule)
	}
	return Errorf(Conflict, "%w: run %d comes first (%s)", ErrBusy, run, rule)
}

// BehindReason tells why a run waits although the job is not busy.
func BehindReason(rule Overlap) string {
	return fmt.Sprintf("waits behind runs of the same job that came first (%s)", rule)
}

// DiscardedReason tells why a run was skipped that met a busy job.
func DiscardedReason(run int64) string {
	return fmt.Sprintf("run %d of this job is still running (%s)", run, OverlapDiscard)
}

// CoveredReason tells why a run was ended or skipped for a later one.
func CoveredReason(by int64) string { return fmt.Sprintf("covered by run %d", by) }

// CrowdedReason tells why a run was skipped because as many wait as may.
func CrowdedReason(waiting int) string {
	if waiting == 1 {
		return "1 run of this job waits already, and no more may: raise overlap_queue to let more wait"
	}
	return fmt.Sprintf("%s runs of this job wait already, and no more may: raise overlap_queue to let more wait", grouped(waiting))
}

// grouped writes a number with a comma before each three digits.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
