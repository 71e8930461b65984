package runner

import "github.com/orthd/orth/job"

// discard refuses a task that finds its job busy.
type discard struct{}

func (discard) meet(busy bool, _ *job.Task) ruling {
	if busy {
		return ruling{refuse: job.Errorf(job.Refused, "%s", discardText)}
	}
	return ruling{width: 1}
}
