package registry

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// executorView is immutable.
type executorView struct {
	byGroup   map[int64][]string
	executors []job.Executor       // by group and address
	byAddress map[string]int       // indexes of executors: of each address the most recently seen one
	shared    map[string]time.Time // addresses of which several executors have a lease, and when the latest one came
}

// newView returns the view of the executors without those that have left.
func newView(executors []job.Executor, left map[seat]struct{}, reach map[string]probing) *executorView {
	v := &executorView{byGroup: make(map[int64][]string), executors: make([]job.Executor, 0, len(executors)), byAddress: make(map[string]int, len(executors))}
	distant := make(map[int64][]string) // by group, the unreachable ones
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
		case e.Manual && !known: // nothing shows that it is there
		case e.Unreachable == "":
			v.byGroup[e.GroupID] = append(v.byGroup[e.GroupID], e.Address)
		case !e.Manual:
			distant[e.GroupID] = append(distant[e.GroupID], e.Address)
		}
	}
	v.judge()
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

// bothAlive is how much later than the first heartbeat of one executor the last heartbeat
// of another must be to show for certain that both are alive, whatever the difference
// between two servers' clocks.
const bothAlive = 15 * time.Second

// judge detects conflicting addresses and data folders.
func (v *executorView) judge() {
	v.shared = make(map[string]time.Time)
	byPlace, byInstance := make(map[string][]*job.Executor), make(map[seat][]*job.Executor)
	for i := range v.executors {
		e := &v.executors[i]
		e.Trouble = ""
		if !e.RivalAt.IsZero() {
			e.Trouble = "another executor registers this address too, and is refused (last at " + e.RivalAt.UTC().Format(time.RFC3339) +
				"): give each executor an address of its own"
		}
		if e.Incarnation != "" && !e.Manual { // those need no lease to be here
			place := placeOf(e.Address)
			byPlace[place] = append(byPlace[place], e)
		}
		if e.Instance != "" {
			key := seat{e.Group, e.Instance}
			byInstance[key] = append(byInstance[key], e)
		}
	}
	for _, same := range byInstance {
		eachPair(same, func(a, b *job.Executor) {
			if twins(a, b) {
				a.Trouble, b.Trouble = copied(b), copied(a)
			}
		})
	}
	for _, same := range byPlace {
		eachPair(same, func(a, b *job.Executor) {
			for _, e := range []*job.Executor{a, b} { // one of them may have ended
				for _, at := range []time.Time{a.IncarnationAt, b.IncarnationAt} {
					if at.After(v.shared[e.Address]) {
						v.shared[e.Address] = at
					}
				}
			}
			if twins(a, b) {
				a.Trouble, b.Trouble = crowded(b), crowded(a)
			}
		})
	}
}

// logConflicts logs new conflicts of addresses and data folders since the view before.
func (r *Registry) logConflicts(before, next *executorView) {
	known := make(map[seat]bool)
	for i := range before.executors {
		if e := &before.executors[i]; e.Trouble != "" {
			known[seat{e.Group, e.Address}] = true
		}
	}
	for i := range next.executors {
		if e := &next.executors[i]; e.Trouble != "" && !known[seat{e.Group, e.Address}] {
			r.config.Logger.Warn("an executor is in doubt", "address", e.Address, "group", e.Group, "instance", e.Instance, "problem", e.Trouble)
		}
	}
}

// eachPair calls found for each two of the executors that are two processes.
func eachPair(same []*job.Executor, found func(a, b *job.Executor)) {
	for i, a := range same {
		for _, b := range same[i+1:] {
			if a.Incarnation != b.Incarnation {
				found(a, b)
			}
		}
	}
}

// schemeTLS is the scheme of addresses that are called with TLS.
const schemeTLS = "https"

// placeOf returns the normal form of an address.
func placeOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	port := u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == schemeTLS {
			port = "443"
		}
	}
	return strings.ToLower(u.Hostname()) + ":" + port + strings.TrimRight(u.Path, "/")
}

// twins reports whether two processes are alive at the same time.
func twins(a, b *job.Executor) bool {
	return a.SeenAt.Sub(b.IncarnationAt) > bothAlive && b.SeenAt.Sub(a.IncarnationAt) > bothAlive
}

func copied(other *job.Executor) string {
	return "its data folder and that of " + other.Address + " are copies of one another, and both executors are alive: " +
		"stop one of them, and start it with an empty data folder"
}

func crowded(other *job.Executor) string {
	return "another executor has this address too, as " + other.Address + " of group " + other.Group + ": give each executor an address of its own"
}
