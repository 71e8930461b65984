package registry

import (
	"cmp"
	"slices"

	"github.com/orthd/orth/job"
)

// view is immutable.
type view struct {
	byGroup   map[int64][]string
	executors []job.Executor // by group and address
}

// newView returns the view of the executors without those who have left.
func newView(executors []job.Executor, left map[seat]struct{}, reach map[string]probing) *view {
	v := &view{byGroup: make(map[int64][]string), executors: make([]job.Executor, 0, len(executors))}
	distant := make(map[int64][]string) // by group, those that cannot be reached
	for _, e := range executors {
		if _, gone := left[seat{e.Group, e.Address}]; gone {
			continue
		}
		asked, known := reach[e.Address]
		e.Unreachable = asked.wrong
		v.executors = append(v.executors, e)
		switch {
		case e.Manual && !known: // nothing says that it is there
		case e.Unreachable == "":
			v.byGroup[e.GroupID] = append(v.byGroup[e.GroupID], e.Address)
		case !e.Manual:
			distant[e.GroupID] = append(distant[e.GroupID], e.Address)
		}
	}
	for group, addresses := range distant {
		if len(v.byGroup[group]) == 0 {
			v.byGroup[group] = addresses
		}
	}
	for group, addresses := range v.byGroup {
		slices.Sort(addresses)
		v.byGroup[group] = slices.Compact(addresses)
	}
	return v
}

// has reports whether the view has an executor in that place.
func (v *view) has(s seat) bool {
	_, found := slices.BinarySearchFunc(v.executors, s, func(e job.Executor, s seat) int {
		return cmp.Or(cmp.Compare(e.Group, s.group), cmp.Compare(e.Address, s.address))
	})
	return found
}
