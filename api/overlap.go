package api

import "github.com/orthd/orth/job"

// scopeOf returns the scope of a job's overlap by its name; a job of before has
// none.
func scopeOf(s job.OverlapScope) job.OverlapScope {
	if s == "" {
		return job.ScopeExecutor
	}
	return s
}
