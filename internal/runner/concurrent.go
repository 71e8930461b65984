package runner

import "github.com/orthd/orth/job"

// concurrent runs up to as many tasks of a job at the same time as the task allows.
type concurrent struct{}

func (concurrent) rule(_ bool, t *job.Task) ruling {
	return ruling{width: min(max(t.Concurrency, 1), job.MaxConcurrency)}
}
