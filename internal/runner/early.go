package runner

import (
	"container/heap"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/nap"
)

// alarms is the lanes whose first task is not due yet, the earliest first. While there are
// some, a goroutine waits for the first one and runs the tasks that become due, so no other
// goroutine is woken. Before that it sets the clock of another goroutine, which already
// waits for one. Runner.mu guards it.
type alarms struct {
	lanes byAlarm
	watch *watch    // whose clock is set; nil while no lane waits
	next  time.Time // to when
	spare []*watch  // wait for clocks that are not set
	away  int       // watches whose goroutines look for work, and run it
}

// watch is a clock that a goroutine of its own waits for.
type watch struct{ clock nap.Alarm }

// mostAway is how many goroutines run what begins by their own clocks; what begins while so many
// run is for the others.
const mostAway = 4

// alarm is when a lane is checked.
type alarm struct {
	at   time.Time
	lane *lane
}

// early reports whether the first task of a lane is not due yet; the lane is then checked
// when it is. mu is held.
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
	if a.watch == nil || l.alarm.Before(a.next) {
		r.watchFor(l.alarm)
	}
	failpoint.Hit("runner/early")
	return true
}

// watchFor sets a clock to the instant. mu is held.
func (r *Runner) watchFor(at time.Time) {
	a := &r.alarms
	if n := len(a.spare) - 1; a.watch == nil && n >= 0 {
		a.watch, a.spare = a.spare[n], a.spare[:n]
	}
	if a.watch == nil {
		a.watch = &watch{r.config.Alarm()}
		r.routines.Add(1)
		go r.serveWork(worker{watch: a.watch})
	}
	a.next = at
	a.watch.clock.Set(at)
}

// stopClocks ends the goroutines that wait for clocks. Runner.mu is held.
func (a *alarms) stopClocks() {
	a.lanes = nil
	if a.watch != nil {
		a.spare = append(a.spare, a.watch)
	}
	for _, w := range a.spare {
		w.clock.Set(time.Time{})
	}
	a.watch, a.spare = nil, nil
}

// awaitClock waits until the clock of a watch has rung for due tasks, and reports whether
// the goroutine should look for them. Otherwise the runner stops.
func (r *Runner) awaitClock(w *watch) bool {
	for {
		w.clock.Wait()
		if work, stopped := r.wakeDueLanes(w); work || stopped {
			return work
		}
	}
}

// wakeDueLanes looks at the lanes whose time has come, if the watch is that of the lanes, and reports
// whether its goroutine is to look for work. Then another watch is set for those that wait.
func (r *Runner) wakeDueLanes(w *watch) (work, stopped bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &r.alarms
	if r.stopped || a.watch != w {
		return false, r.stopped
	}
	if work = a.away < mostAway && !r.workers.roused; work {
		r.workers.roused = true // by this goroutine, if there is some
	}
	r.beginDue(time.Now())
	if work && r.workers.first == nil {
		work, r.workers.roused = false, false
	}
	switch {
	case work:
		a.away++
		a.watch = nil
	case len(a.lanes) == 0:
		a.watch, a.spare = nil, append(a.spare, w)
	}
	if len(a.lanes) > 0 {
		r.watchFor(a.lanes[0].at)
	}
	return work, false
}

// beginDue starts the due tasks. mu is held.
func (r *Runner) beginDue(now time.Time) {
	a := &r.alarms
	for len(a.lanes) > 0 && !a.lanes[0].at.After(now) {
		first := heap.Pop(&a.lanes).(alarm)
		if l := first.lane; l.alarm.Equal(first.at) && r.lanes[l.job] == l {
			failpoint.Hit("runner/due")
			l.alarm = time.Time{}
			r.settle(l) // which may set the clock
		}
	}
}

// waitForClock has a goroutine without work wait for its clock. mu is held.
func (r *Runner) waitForClock(w *watch) {
	r.alarms.away--
	r.alarms.spare = append(r.alarms.spare, w)
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
