package runner

import "github.com/orthd/orth/job"

// cover ends what runs and what waits of a job for the task that comes. It
// takes effect when the new task is durable, so that a task that is not taken
// ends nothing.
type cover struct{}

func (cover) meet(bool, *job.Task) ruling { return ruling{cover: true, width: 1} }
