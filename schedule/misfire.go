package schedule

import (
	"slices"
	"time"
)

// Misfire says what becomes of firings that were missed by more than the
// planner's tolerance.
type Misfire string

// The misfire policies.
const (
	// MisfireSkip lets missed firings go and waits for the next one.
	MisfireSkip Misfire = "skip"
	// MisfireFireOnce makes one run for all firings missed.
	MisfireFireOnce Misfire = "fire_once"
	// MisfireFireAll makes a run for each firing missed, up to a bound.
	MisfireFireAll Misfire = "fire_all"
)

// maxWalk bounds the firings that Decide visits one by one.
const maxWalk = 10_000

// Input is what [Decide] decides on.
type Input struct {
	// Policy is what to do with missed firings; an unknown one skips.
	Policy Misfire
	// Schedule gives the firings after Next.
	Schedule Schedule
	// Next is the first firing not yet taken. Zero means that there is none.
	Next time.Time
	// Now is the present. A firing before Now-Tolerance is missed, a later one
	// is on time. A negative Tolerance counts as 0.
	Now       time.Time
	Tolerance time.Duration
	// Until is how far ahead firings are taken; one before Now counts as Now.
	Until time.Time
	// Limit bounds Decision.Fire and Decision.Missed, each for itself. Less
	// than 1 counts as 1, more than 10,000 as that.
	Limit int
}

// Decision is what becomes of the firings up to Input.Until.
type Decision struct {
	// Fire are the firings on time, the oldest first.
	Fire []time.Time
	// Missed are the missed firings that get a run, the oldest first. They
	// are the newest of those missed.
	Missed []time.Time
	// Skipped is the number of missed firings that get no run, and
	// FirstSkipped the oldest of them. Truncated says that there are more
	// than were counted.
	Skipped      int
	FirstSkipped time.Time
	Truncated    bool
	// Next is the first firing that was not taken. It is after Input.Until
	// unless Fire is full. Zero, with Ended, means that there is none.
	Next  time.Time
	Ended bool
}

// Decide sorts the firings from in.Next to in.Until into those to fire, to make
// up for and to let go. Nothing is in two of them and no firing is left out.
// It is pure, and its work is bounded however long ago in.Next is.
func Decide(in Input) Decision {
	if in.Until.Before(in.Now) {
		in.Until = in.Now
	}
	in.Limit = min(max(in.Limit, 1), maxWalk)
	w := walk{schedule: in.Schedule, at: in.Next, more: !in.Next.IsZero()}
	late := w.late(in.Now.Add(-max(in.Tolerance, 0)), in.keep())

	d := Decision{Missed: late.newest, Skipped: late.count - len(late.newest), Truncated: late.truncated}
	if d.Skipped > 0 {
		d.FirstSkipped = in.Next
	}
	for w.more && !w.at.After(in.Until) && len(d.Fire) < in.Limit {
		d.Fire = append(d.Fire, w.at)
		w.step()
	}
	d.Next, d.Ended = w.at, !w.more
	return d
}

// keep is the number of missed firings that get a run.
func (in *Input) keep() int {
	switch in.Policy {
	case MisfireFireOnce:
		return 1
	case MisfireFireAll:
		return in.Limit
	case MisfireSkip: // none
	}
	return 0
}

// walk stands at a firing and goes forward. When more is false it has passed
// the last one.
type walk struct {
	schedule Schedule
	at       time.Time
	more     bool
}

func (w *walk) step() { w.at, w.more = w.schedule.Next(w.at) }

// missed are the firings before an instant: how many, and the newest of them
// with the oldest first.
type missed struct {
	count     int
	newest    []time.Time
	truncated bool
}

// late walks to the first firing that is not before cutoff. It keeps the
// newest of those it passes.
func (w *walk) late(cutoff time.Time, keep int) missed {
	var m missed
	w.leap(cutoff, keep, &m)
	for steps := 0; w.more && w.at.Before(cutoff); steps++ {
		if steps == maxWalk {
			w.jump(cutoff, keep, &m)
			continue
		}
		m.count++
		m.keep(w.at, keep)
		w.step()
	}
	m.newest = m.newest[max(len(m.newest)-keep, 0):]
	return m
}

// keep remembers an instant. It drops old ones only when twice the number to
// keep has gathered, so that each is moved once at most.
func (m *missed) keep(at time.Time, keep int) {
	if keep == 0 {
		return
	}
	if len(m.newest) == 2*keep {
		m.newest = slices.Delete(m.newest, 0, keep)
	}
	m.newest = append(m.newest, at)
}

// leap passes the firings of a fixed rate that need no visit, and counts them
// exactly.
func (w *walk) leap(cutoff time.Time, keep int, m *missed) {
	r, ok := w.schedule.(rate)
	if !ok || !w.more || !w.at.Before(cutoff) {
		return
	}
	total := 1 + r.between(w.at, cutoff)
	if total <= int64(keep) {
		return
	}
	// The newest keep points before cutoff lie in the keep periods before it.
	edge := cutoff.Add(-time.Duration(int64(keep)*r.period) * time.Millisecond)
	at, more := r.Next(edge.Add(-time.Nanosecond))
	m.count = int(total)
	if more {
		m.count -= int(r.between(at.Add(-time.Nanosecond), cutoff))
	}
	w.at, w.more = at, more
}

// jump passes firings unseen, up to the newest ones before cutoff.
func (w *walk) jump(cutoff time.Time, keep int, m *missed) {
	target, more := w.schedule.Next(cutoff.Add(-time.Nanosecond))
	for ; keep > 0; keep-- {
		before, ok := w.newestBefore(cutoff)
		if !ok {
			return
		}
		target, more, cutoff = before, true, before
	}
	m.truncated = m.truncated || !more || target.After(w.at)
	w.at, w.more = target, more
}

// newestBefore returns the newest firing after w.at and before an instant. It
// halves the time between, to the millisecond.
func (w *walk) newestBefore(cutoff time.Time) (time.Time, bool) {
	found, ok := w.schedule.Next(w.at)
	if !ok || !found.Before(cutoff) {
		return time.Time{}, false
	}
	for low, high := found, cutoff; high.Sub(low) > time.Millisecond; {
		middle := low.Add(high.Sub(low) / 2)
		if next, ok := w.schedule.Next(middle); ok && next.Before(cutoff) {
			found, low = next, next
		} else {
			high = middle
		}
	}
	return found, true
}
