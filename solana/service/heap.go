package service

import "container/heap"

// alarm wakes an entry at a point of one of the clocks, unless the entry has moved on since.
type alarm struct {
	at    int64
	entry *taskEntry
	stamp uint64
}

// alarms are those of one clock, the earliest first.
type alarms []alarm

func (a alarms) Len() int           { return len(a) }
func (a alarms) Less(i, j int) bool { return a[i].at < a[j].at }
func (a alarms) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }

// Push is for package heap.
func (a *alarms) Push(x any) { *a = append(*a, x.(alarm)) } //nolint:forcetypeassert // only put calls it

// Pop is for package heap.
func (a *alarms) Pop() any {
	old := *a
	last := old[len(old)-1]
	old[len(old)-1] = alarm{}
	*a = old[:len(old)-1]
	return last
}

func (a *alarms) addAlarm(at int64, e *taskEntry) {
	heap.Push(a, alarm{at: at, entry: e, stamp: e.stamp})
}

// takeDue removes the first alarm that still holds and is at a point or before it; nil: there is none.
func (a *alarms) takeDue(until int64) *taskEntry {
	for len(*a) > 0 {
		first := (*a)[0]
		stale := first.stamp != first.entry.stamp
		if !stale && first.at > until {
			return nil
		}
		heap.Pop(a)
		if !stale {
			return first.entry
		}
	}
	return nil
}

// nextAlarm is when the first alarm is that still holds.
func (a *alarms) nextAlarm() (int64, bool) {
	for len(*a) > 0 {
		if first := (*a)[0]; first.stamp == first.entry.stamp {
			return first.at, true
		}
		heap.Pop(a)
	}
	return 0, false
}
