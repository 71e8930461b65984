package overlap

import "github.com/orthd/orth/job"

// cover ends the running and the waiting tasks of a job for the new task. It takes effect
// when the new task is durable, so a rejected task ends nothing.
type cover struct{}

// Decide implements Rule.
func (cover) Decide(bool, *job.Task) Ruling { return Ruling{Cover: true, Width: 1} }
