package overlap

import "github.com/orthd/orth/job"

// serial runs the tasks of a job one after the other, in the order of arrival.
type serial struct{}

// Decide implements Rule.
func (serial) Decide(bool, *job.Task) Ruling { return Ruling{Width: 1} }
