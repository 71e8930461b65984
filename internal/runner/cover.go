package runner

import "github.com/orthd/orth/job"

// cover ends the running and the waiting tasks of a job for the new task. It takes effect
// when the new task is durable, so a rejected task ends nothing.
type cover struct{}

func (cover) rule(bool, *job.Task) ruling { return ruling{cover: true, width: 1} }
