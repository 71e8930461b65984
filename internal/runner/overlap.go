package runner

import "github.com/orthd/orth/job"

// overlap says what becomes of a task that comes to its job's lane. Each is a
// value in a file of its own.
type overlap interface {
	// meet decides about t. busy tells that the job runs or has tasks that
	// wait, those on their way into the store among them.
	meet(busy bool, t *job.Task) ruling
}

// ruling is what becomes of a task.
type ruling struct {
	// refuse is the error to answer with; the task is not taken then.
	refuse error
	// cover tells that all that came before it is ended for it.
	cover bool
	// width is how many tasks of its lane may run while it does.
	width int
}

// overlapOf returns the overlap of a name. An unknown one is serial: a sender
// of a newer protocol loses no task by it, and none runs that should wait.
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
