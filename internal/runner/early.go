package runner

import (
	"container/heap"
	"time"

	"github.com/orthd/orth/internal/nap"
)

// alarms is the lanes whose first task waits for its time, the earliest first. While there are
// some a goroutine waits for them. Runner.mu guards it, but for earlier.
type alarms struct {
	lanes byAlarm
	// next is when the goroutine looks at them again; zero when there is none.
	next time.Time
	// earlier, of size 1, tells it that it is to look before.
	earlier chan struct{}
}

// alarm is when a lane is to be looked at.
type alarm struct {
	at   time.Time
	lane *lane
}

// early reports whether the time of the first task of a lane has not come; then the lane is
// looked at when it comes. mu is held.
func (r *Runner) early(l *lane, first *entry) bool {
	if first.startAt.IsZero() || first.killed != nil || !first.startAt.After(time.Now()) {
		return false
	}
	if l.alarm.IsZero() || first.startAt.Before(l.alarm) {
		l.alarm = first.startAt
		heap.Push(&r.alarms.lanes, alarm{l.alarm, l})
	}
	switch {
	case r.alarms.next.IsZero():
		r.alarms.next = r.alarms.lanes[0].at
		r.routines.Go(r.awaitAlarms)
	case r.alarms.lanes[0].at.Before(r.alarms.next):
		r.alarms.wake()
	}
	return true
}

// wake has the goroutine look at the alarms now.
func (a *alarms) wake() {
	select {
	case a.earlier <- struct{}{}:
	default:
	}
}

// awaitAlarms lets tasks begin whose time has come, until none waits for its own. One whose
// time comes while it naps is late by the rest of the nap, which is less than [nap.Lag].
func (r *Runner) awaitAlarms() {
	for next := r.ring(); !next.IsZero(); next = r.ring() {
		if wait := time.Until(next) - nap.Lag; wait > 0 {
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-r.alarms.earlier:
				timer.Stop()
				continue
			}
		}
		if wait := time.Until(next); wait > 0 {
			r.config.Nap(min(wait, nap.Lag))
		}
	}
}

// ring looks at the lanes whose time has come, and returns when the next one's does: the zero
// time when there is none.
func (r *Runner) ring() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &r.alarms
	a.next = time.Time{}
	if r.stopped {
		a.lanes = nil
		return a.next
	}
	for now := time.Now(); len(a.lanes) > 0 && !a.lanes[0].at.After(now); {
		first := heap.Pop(&a.lanes).(alarm)
		if l := first.lane; l.alarm.Equal(first.at) && r.lanes[l.job] == l {
			l.alarm = time.Time{}
			a.next = now // so that nobody else begins to wait
			r.settle(l)
		}
	}
	a.next = time.Time{}
	if len(a.lanes) > 0 {
		a.next = a.lanes[0].at
	}
	return a.next
}

// byAlarm is a heap.
type byAlarm []alarm

func (b byAlarm) Len() int           { return len(b) }
func (b byAlarm) Less(i, j int) bool { return b[i].at.Before(b[j].at) }
func (b byAlarm) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *byAlarm) Push(x any)        { *b = append(*b, x.(alarm)) }
func (b *byAlarm) Pop() any {
	old := *b
	last := old[len(old)-1]
	old[len(old)-1] = alarm{}
	*b = old[:len(old)-1]
	return last
}
