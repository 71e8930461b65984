package runner

import (
	"container/heap"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/nap"
)

// alarms is the lanes whose first task waits for its time, the earliest first. While there are
// some a goroutine waits for them. Runner.mu guards it.
type alarms struct {
	lanes byAlarm
	clock nap.Alarm // nil before the first one
	// next is when the clock rings; zero while nobody waits for it.
	next time.Time
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
	if !l.alarm.IsZero() && !first.startAt.Before(l.alarm) {
		return true
	}
	l.alarm = first.startAt
	a := &r.alarms
	heap.Push(&a.lanes, alarm{l.alarm, l})
	if a.clock == nil {
		a.clock = r.config.Alarm()
	}
	switch {
	case a.next.IsZero():
		a.set(l.alarm)
		r.routines.Go(r.awaitAlarms)
	case l.alarm.Before(a.next):
		a.set(l.alarm)
	}
	failpoint.Hit("runner/early")
	return true
}

// set has the clock ring at the instant. Runner.mu is held.
func (a *alarms) set(at time.Time) {
	a.next = at
	a.clock.Set(at)
}

// stop has who waits for the clock end. Runner.mu is held.
func (a *alarms) stop() {
	a.lanes = nil
	if !a.next.IsZero() {
		a.clock.Set(time.Time{})
	}
}

// awaitAlarms lets tasks begin whose time has come, until none waits for its own.
func (r *Runner) awaitAlarms() {
	for waits := true; waits; waits = r.ring() {
		r.alarms.clock.Wait()
	}
}

// ring looks at the lanes whose time has come, and reports whether others wait for theirs.
func (r *Runner) ring() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &r.alarms
	now := time.Now()
	for len(a.lanes) > 0 && !a.lanes[0].at.After(now) {
		first := heap.Pop(&a.lanes).(alarm)
		if l := first.lane; l.alarm.Equal(first.at) && r.lanes[l.job] == l {
			failpoint.Hit("runner/due")
			l.alarm = time.Time{}
			r.settle(l) // which may set the clock
		}
	}
	if len(a.lanes) == 0 {
		a.next = time.Time{}
		return false
	}
	a.set(a.lanes[0].at)
	return true
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
