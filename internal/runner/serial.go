package runner

import "github.com/orthd/orth/job"

// serial runs the tasks of a job one after the other, in the order of arrival.
type serial struct{}

func (serial) rule(bool, *job.Task) ruling { return ruling{width: 1} }
