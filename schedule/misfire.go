package schedule

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Misfire is the policy for firings that were missed by more than the planner's tolerance.
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

// MisfireLimits define when a firing is missed, and bound the firings that [MisfireFireAll]
// makes up for. The zero value means the defaults. Durations are whole milliseconds.
type MisfireLimits struct {
	// Threshold is how late a firing may come without being missed, up to
	// [MaxThreshold]. Defaults to 5 s.
	Threshold time.Duration `json:"threshold,omitempty"`
	// Window is how far back missed firings are made up for, up to
	// [MaxWindow]; older ones are skipped. Defaults to no bound.
	Window time.Duration `json:"window,omitempty"`
	// Max is how many of them are made up for, the newest, up to
	// [MaxMissed]. Defaults to 100.
	Max int `json:"max,omitempty"`
	// Spacing is the time from the start of one to the start of the next, up
	// to [MaxSpacing]. Defaults to none.
	Spacing time.Duration `json:"spacing,omitempty"`
}

// Limits and defaults of MisfireLimits.
const (
	DefaultThreshold = 5 * time.Second
	DefaultMissed    = 100
	MaxThreshold     = 24 * time.Hour
	MaxWindow        = 10 * 365 * 24 * time.Hour
	MaxMissed        = 10_000
	MaxSpacing       = time.Hour
)

// Validate reports the first limit that is out of range as an [*Error].
func (l MisfireLimits) Validate() error {
	for _, d := range []struct {
		name string
		got  time.Duration
		most time.Duration
	}{
		{"threshold", l.Threshold, MaxThreshold},
		{"window", l.Window, MaxWindow},
		{"spacing", l.Spacing, MaxSpacing},
	} {
		switch input := "misfire_limits." + d.name; {
		case d.got < 0 || d.got > d.most:
			return &Error{
				Input: input, Message: fmt.Sprintf("the %s %s is out of range", d.name, shortDuration(d.got)),
				Hint: fmt.Sprintf("allowed are up to %s; 0 means the default", shortDuration(d.most)),
			}
		case d.got%time.Millisecond != 0:
			return &Error{
				Input: input, Message: fmt.Sprintf("the %s %s is not a whole number of milliseconds", d.name, d.got),
				Hint: "round it to milliseconds",
			}
		}
	}
	if l.Max < 0 || l.Max > MaxMissed {
		return &Error{
			Input: "misfire_limits.max", Message: fmt.Sprintf("%d firings to make up for are out of range", l.Max),
			Hint: fmt.Sprintf("allowed are 1-%d; 0 means the default, %d", MaxMissed, DefaultMissed),
		}
	}
	return nil
}

// filled returns l with its defaults.
func (l MisfireLimits) filled() MisfireLimits {
	if l.Threshold <= 0 {
		l.Threshold = DefaultThreshold
	}
	if l.Max <= 0 {
		l.Max = DefaultMissed
	}
	l.Max = min(l.Max, MaxMissed)
	return l
}

// maxWalk bounds the firings that Decide visits one by one.
const maxWalk = 10_000

// MaxSkipped bounds [Decision.Skipped].
const MaxSkipped = 100

// Input is what [Decide] decides on.
type Input struct {
	// Policy is the policy for missed firings; an unknown one skips. Limits define which
	// firings are missed, and which of them are made up for.
	Policy Misfire
	Limits MisfireLimits
	// Schedule gives the firings after Next. Single says that it gives none:
	// the end of the run for Next sets the one after it. It is asked only when
	// Next gets no run, for the first firing after Now.
	Schedule Schedule
	Single   bool
	// Next is the first firing not yet taken. Zero means that there is none.
	Next time.Time
	Now  time.Time
	// Until is how far ahead firings are taken; one before Now counts as Now.
	Until time.Time
	// Limit bounds Decision.Fire. Less than 1 counts as 1, more than 10,000 as
	// that.
	Limit int
	// Count is the [Spec]'s, and Fired how many runs were made before.
	Count int
	Fired int
}

// Decision is what becomes of the firings up to Input.Until.
type Decision struct {
	// Fire are the firings on time, the oldest first.
	Fire []time.Time
	// Missed are the missed firings that get a run, the oldest first. They
	// are the newest of those missed.
	Missed []time.Time
	// Skipped are the newest of the missed firings that get no run, the oldest
	// first: at most [MaxSkipped]. Older are those before them.
	Skipped []time.Time
	Older   Stretch
	// Next is the first firing that was not taken. It is after Input.Until
	// unless Fire is full. It is zero when the schedule has Ended, and when a
	// Single firing gets its run.
	Next time.Time
	// Ended is set when there are no further firings; Spent when they are cut off by Count:
	// those not taken yet fire nothing.
	Ended bool
	Spent bool
}

// Stretch is a number of firings that are not listed one by one.
type Stretch struct {
	Count int
	// First is the oldest of them, Last the newest.
	First time.Time
	Last  time.Time
	// Truncated is set when there are more than were counted.
	Truncated bool
}

// Decide sorts the firings from in.Next to in.Until into those to fire, to make
// up for and to let go. Nothing is in two of them and no firing is left out, until
// in.Count is reached. It is pure, and its work is bounded however long ago
// in.Next is.
func Decide(in Input) Decision {
	left := math.MaxInt
	if in.Count > 0 {
		left = in.Count - in.Fired
	}
	switch {
	case left <= 0:
		return Decision{Ended: true, Spent: true}
	case in.Next.IsZero():
		return Decision{Ended: true}
	}
	if in.Until.Before(in.Now) {
		in.Until = in.Now
	}
	in.Limits = in.Limits.filled()
	in.Limit = min(max(in.Limit, 1), maxWalk, left)

	w := walk{schedule: in.Schedule, at: in.Next, more: true, single: in.Single}
	var d Decision
	if cutoff := in.Now.Add(-in.Limits.Threshold); w.at.Before(cutoff) {
		keep := min(in.keep(), left)
		in.sort(&d, w.late(cutoff, keep+MaxSkipped+1), keep)
	}
	left -= len(d.Missed)
	for w.more && !w.at.After(in.Until) && len(d.Fire) < min(in.Limit, left) {
		d.Fire = append(d.Fire, w.at)
		w.step()
	}
	switch made := len(d.Missed) + len(d.Fire); {
	case left == len(d.Fire):
		d.Ended, d.Spent = true, true
	case in.Single && made > 0: // the end of the run says when
	case in.Single && d.skipped() > 0:
		next, ok := in.Schedule.Next(in.Now)
		d.Next, d.Ended = next, !ok
	default:
		d.Next, d.Ended = w.at, !w.more
	}
	return d
}

func (d *Decision) skipped() int { return d.Older.Count + len(d.Skipped) }

// keep is the number of missed firings that get a run at most.
func (in *Input) keep() int {
	switch in.Policy {
	case MisfireFireOnce:
		return 1
	case MisfireFireAll:
		return in.Limits.Max
	case MisfireSkip: // none
	}
	return 0
}

// sort divides the missed firings into those that get a run, at most keep, and
// the others.
func (in *Input) sort(d *Decision, m missed, keep int) {
	split := max(len(m.newest)-keep, 0)
	if in.Policy == MisfireFireAll && in.Limits.Window > 0 {
		edge := in.Now.Add(-in.Limits.Window)
		for split < len(m.newest) && m.newest[split].Before(edge) {
			split++
		}
	}
	told := max(split-MaxSkipped, 0)
	d.Skipped, d.Missed = m.newest[told:split:split], m.newest[split:]
	if older := m.count - len(d.Skipped) - len(d.Missed); older > 0 {
		// One more was kept than can be listed one by one.
		d.Older = Stretch{Count: older, First: in.Next, Last: m.newest[told-1], Truncated: m.truncated}
	}
}

// walk stands at a firing and goes forward. When more is false it has passed
// the last one.
type walk struct {
	schedule Schedule
	at       time.Time
	more     bool
	single   bool // nothing follows the first firing
}

func (w *walk) step() {
	if w.single {
		w.at, w.more = time.Time{}, false
		return
	}
	w.at, w.more = w.schedule.Next(w.at)
}

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
	if len(m.newest) == 2*keep {
		m.newest = slices.Delete(m.newest, 0, keep)
	}
	m.newest = append(m.newest, at)
}

// leap passes the firings of a fixed rate that need no visit, and counts them
// exactly.
func (w *walk) leap(cutoff time.Time, keep int, m *missed) {
	r, ok := w.schedule.(rate)
	if !ok || w.single {
		return
	}
	total := 1 + r.between(w.at, cutoff)
	if total <= int64(keep) {
		return
	}
	first, _ := r.Next(w.at) // total is more than 1, so there is one
	passed := total - int64(keep)
	w.at = first.Add(time.Duration((passed-1)*r.period) * time.Millisecond)
	m.count = int(passed)
}

// jump passes firings unseen, up to the newest ones before cutoff: as many as to
// keep. When there are fewer it stays where it is.
func (w *walk) jump(cutoff time.Time, keep int, m *missed) {
	for ; keep > 0; keep-- {
		before, ok := w.newestBefore(cutoff)
		if !ok {
			return
		}
		cutoff = before
	}
	m.truncated = m.truncated || cutoff.After(w.at)
	w.at = cutoff
}

// newestBefore returns the newest firing after w.at and before an instant. A
// schedule that cannot look back is asked again and again: it halves the time
// between, to the millisecond.
func (w *walk) newestBefore(cutoff time.Time) (time.Time, bool) {
	if c, ok := w.schedule.(*Cron); ok {
		found, ok := c.Prev(cutoff)
		return found, ok && found.After(w.at)
	}
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
