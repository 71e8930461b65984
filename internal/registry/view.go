package registry

import (
	"slices"

	"github.com/orthd/orth/job"
)

// view is immutable.
type view struct {
	byGroup   map[int64][]string
	executors []job.Executor // by group and address
	byAddress map[string]int // indexes of executors: of each address the one that was seen last
}

// newView returns the view of the executors without those who have left.
func newView(executors []job.Executor, left map[seat]struct{}, reach map[string]probing) *view {
	v := &view{byGroup: make(map[int64][]string), executors: make([]job.Executor, 0, len(executors)), byAddress: make(map[string]int, len(executors))}
	distant := make(map[int64][]string) // by group, those that cannot be reached
	for _, e := range executors {
		if _, gone := left[seat{e.Group, e.Address}]; gone {
			continue
		}
		asked, known := reach[e.Address]
		e.Unreachable = asked.wrong
		if i, twice := v.byAddress[e.Address]; !twice || v.executors[i].SeenAt.Before(e.SeenAt) {
			v.byAddress[e.Address] = len(v.executors)
		}
		v.executors = append(v.executors, e)
		switch {
		case e.GroupID == 0: // its row is written and not yet read
		case e.Draining:
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
