package overlap

import "github.com/orthd/orth/job"

// concurrent runs up to as many tasks of a job at the same time as the task allows.
type concurrent struct{}

// Decide implements Rule.
func (concurrent) Decide(_ bool, t *job.Task) Ruling {
	return Ruling{Width: min(max(t.Concurrency, 1), job.MaxConcurrency)}
}
