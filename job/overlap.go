package job

import "fmt"

// OverlapScope selects the runs that count when a Run's Job is still running.
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

// OverlapLimit returns how many runs of the job may be in progress at once, on all
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

// BusyReason describes why a run waits for a busy job: run is one of those in progress, and
// limit how many may be.
func BusyReason(rule Overlap, limit int, run int64) string {
	if limit > 1 {
		return fmt.Sprintf("waits: %d runs of this job are under way, run %d among them, and no more may be (%s)", limit, run, rule)
	}
	return fmt.Sprintf("waits for run %d of the same job (%s)", run, rule)
}

// CrowdedOut is the error for a run that must start at once and cannot: run is one of those
// of the job in progress, or the first of those that wait, and limit how many may be in
// progress. It is a Conflict, of [ErrBusy].
func CrowdedOut(rule Overlap, limit int, run int64) *Error {
	if limit > 1 {
		return Errorf(Conflict, "%w: %d, and run %d is one of those before it (%s)", ErrBusy, limit, run, rule)
	}
	return Errorf(Conflict, "%w: run %d comes first (%s)", ErrBusy, run, rule)
}

// BehindReason describes why a run waits although the job is not busy.
func BehindReason(rule Overlap) string {
	return fmt.Sprintf("waits behind runs of the same job that came first (%s)", rule)
}

// DiscardedReason describes why a run of a busy job was skipped.
func DiscardedReason(run int64) string {
	return fmt.Sprintf("run %d of this job is still running (%s)", run, OverlapDiscard)
}

// CoveredReason describes why a run was ended or skipped for a later one.
func CoveredReason(by int64) string { return fmt.Sprintf("covered by run %d", by) }

// CrowdedReason describes why a run was skipped at the limit of waiting runs.
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
