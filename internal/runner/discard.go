package runner

import "github.com/orthd/orth/job"

// discard refuses a task of a busy job.
type discard struct{}

func (discard) rule(busy bool, _ *job.Task) ruling {
	if busy {
		return ruling{refuse: &job.Error{Kind: job.Refused, Message: discardText, Err: job.ErrDiscarded}}
	}
	return ruling{width: 1}
}
