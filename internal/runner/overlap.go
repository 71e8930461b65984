package runner

import "github.com/orthd/orth/job"

// overlap is the policy for a task that arrives in its job's lane. Each is a value in a
// file of its own.
type overlap interface {
	// rule decides about t. busy reports whether the job runs or has waiting tasks,
	// including those being written to the store.
	rule(busy bool, t *job.Task) ruling
}

// ruling is the decision about a task.
type ruling struct {
	// refuse is the error to answer with; the task is then rejected.
	refuse error
	// cover means that all earlier tasks are ended for this one.
	cover bool
	// width is how many tasks of its lane may run while it does.
	width int
}

// overlapOf returns the overlap with a name. An unknown name is serial: so no task of a
// sender with a newer protocol is lost, and none runs that should wait.
func overlapOf(name job.Overlap) overlap {
	switch name {
	case job.OverlapDiscard:
		return discard{}
	case job.OverlapCover:
		return cover{}
	case job.OverlapConcurrent:
		return concurrent{}
	case job.OverlapSerial:
	}
	return serial{}
}
