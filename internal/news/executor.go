package news

import (
	"cmp"
	"slices"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// seat is an executor's place in a group.
type seat struct{ group, address string }

// seats are the executors as they were told; nil while nobody looks.
type seats map[seat]standing

// standing is how an executor stands.
type standing struct {
	namespace  string // that of its group
	became     string
	leaseUntil time.Time
	toldAt     time.Time // when it told about itself last
}

// executorChanges returns what has become of executors since the last look. Of those that
// nobody has looked at yet it tells nothing.
func (n *News) executorChanges(now time.Time) []*Item {
	next, before := n.standing(now), n.seats
	n.seats = next
	if before == nil {
		return nil
	}
	var items []*Item
	tell := func(s seat, is standing) {
		it := &Item{Event: api.Event{
			Kind: string(Executor), Change: is.became, At: api.At(now), Executor: &api.EventExecutor{Address: s.address},
		}}
		if it = it.placeAt(is.namespace, s.group); it != nil {
			items = append(items, it)
		}
	}
	for s, is := range next {
		was := before[s]
		if was.became != is.became {
			tell(s, is)
		}
		if is.toldAt.After(was.toldAt) {
			is.became = Tells
			tell(s, is)
		}
	}
	for s, was := range before {
		if _, there := next[s]; there {
			continue
		}
		is := standing{namespace: was.namespace, became: Gone}
		if !was.leaseUntil.IsZero() && !was.leaseUntil.After(now) {
			is.became = Silent
		}
		if was.became != is.became {
			tell(s, is)
		}
	}
	slices.SortStableFunc(items, func(a, b *Item) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Executor.Address, b.Executor.Address))
	})
	return items
}

// standing tells how all executors stand.
func (n *News) standing(now time.Time) seats {
	all := make(seats)
	if n.config.Executors == nil {
		return all
	}
	for _, e := range n.config.Executors.Executors() {
		all[seat{e.Group, e.Address}] = standingOf(&e, now)
	}
	return all
}

// standingOf tells how an executor stands.
func standingOf(e *job.Executor, now time.Time) standing {
	s := standing{namespace: e.Namespace, became: Came, leaseUntil: e.LeaseUntil, toldAt: e.FactsAt}
	switch {
	case e.Unreachable != "", !e.Manual && !e.LeaseUntil.After(now):
		s.became = Silent
	case e.Draining:
		s.became = Drains
	}
	return s
}
