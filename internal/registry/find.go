package registry

import (
	"cmp"
	"slices"

	"github.com/orthd/orth/job"
)

// Executor returns the executor at the address that is in the group with this
// key, and false when there is none that is alive. The caller must not change
// what it points to.
func (r *Registry) Executor(group, address string) (job.Executor, bool) {
	executors := r.view.Load().executors
	i, found := slices.BinarySearchFunc(executors, seat{group, address}, func(e job.Executor, s seat) int {
		return cmp.Or(cmp.Compare(e.Group, s.group), cmp.Compare(e.Address, s.address))
	})
	if !found {
		return job.Executor{}, false
	}
	return executors[i], true
}
