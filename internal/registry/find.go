package registry

import (
	"slices"

	"github.com/orthd/orth/job"
)

// Executor returns the executor at the address in the group with this key, and false when
// none is alive. The caller must not change what it points to.
func (r *Registry) Executor(group, address string) (job.Executor, bool) {
	executors := r.view.Load().executors
	i, found := slices.BinarySearchFunc(executors, job.Executor{Group: group, Address: address}, byPlace)
	if !found {
		return job.Executor{}, false
	}
	return executors[i], true
}
