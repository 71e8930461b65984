// Package overlap has the policies for tasks that arrive while their job is busy.
//
// It knows what becomes of such a task. It must never know lanes or queues. A task comes in,
// a ruling goes out.
package overlap

import "github.com/orthd/orth/job"

// Rule is the policy for a task that arrives in its job's lane. Each is a value in a
// file of its own.
type Rule interface {
	// Decide decides about t. busy reports whether the job runs or has waiting tasks,
	// including those being written to the store.
	Decide(busy bool, t *job.Task) Ruling
}

// Ruling is the decision about a task.
type Ruling struct {
	// Refuse is the error to answer with; the task is then rejected.
	Refuse error
	// Cover means that all earlier tasks are ended for this one.
	Cover bool
	// Width is how many tasks of its lane may run while it does.
	Width int
}

// Of returns the overlap with a name. An unknown name is serial: so no task of a
// sender with a newer protocol is lost, and none runs that should wait.
func Of(name job.Overlap) Rule {
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
