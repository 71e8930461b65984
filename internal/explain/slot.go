package explain

import (
	"slices"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// Slot is a question about a job at a time, judged by its present schedule. Make it with
// NewSlot, read the runs of its Instants, then call Explain.
type Slot struct {
	job      *job.Job
	moment   Moment
	zone     *time.Location
	rows     []job.Calendar // those of the schedule
	compiled schedule.Schedule
	wrong    error // why it does not compile
	// asked are the instants of the moment; at is the one that is judged. A moment in a
	// clock gap has no instants; at is then the instant after the gap.
	asked []time.Time
	at    time.Time
	gap   *offsetChange

	fires bool
	// dropped is the slot that a calendar suppresses, moved the one that a calendar or the
	// jitter moves from at to later.
	dropped, moved *schedule.Slot
}

// NewSlot judges a moment, which must not be zero, by the job's schedule. The calendars are
// those of the schedule that exist.
func NewSlot(j *job.Job, calendars []job.Calendar, m Moment) *Slot {
	q := &Slot{job: j, moment: m, zone: zoneOf(j), rows: calendars}
	q.asked = m.instants(q.zone)
	switch {
	case len(q.asked) > 0:
		q.at = q.asked[0]
	default:
		if gap, ok := gapAt(m.Wall, q.zone); ok {
			q.gap, q.at = &gap, gap.at.UTC()
		}
	}
	if q.compiled, q.wrong = compile(j, calendars); q.wrong != nil {
		return q
	}
	if j.Schedule.Kind == schedule.KindAfter || q.gap != nil {
		return q
	}
	for _, at := range q.asked {
		if next, ok := q.compiled.Next(at.Add(-1)); ok && next.Equal(at) {
			q.at, q.fires = at, true
			return q
		}
	}
	q.judge()
	return q
}

// compile compiles the schedule of a job. An unreadable calendar counts as missing.
func compile(j *job.Job, rows []job.Calendar) (schedule.Schedule, error) {
	return j.Schedule.CompileWith(func(key string) *calendar.Calendar {
		i := slices.IndexFunc(rows, func(c job.Calendar) bool { return c.Key == key })
		if i < 0 {
			return nil
		}
		compiled, err := rows[i].Rules.Compile()
		if err != nil {
			return nil
		}
		return compiled
	})
}

// maxMoved bounds the slots that are searched for one that was moved.
const maxMoved = 500

// judge determines why a slot does not fire at its instant.
func (q *Slot) judge() {
	ahead := schedule.Preview(q.compiled, q.at.Add(-1), 1)
	if len(ahead) == 0 {
		return
	}
	if first := ahead[0]; first.Dropped && first.Named.Equal(q.at) && first.At.Equal(q.at) {
		q.dropped = &first
		return
	}
	from := q.at
	if q.job.Schedule.Jitter > 0 && ahead[0].Calendar == "" {
		from = q.at.Add(ahead[0].At.Sub(ahead[0].Named)) // all firings move this far
	}
	n := 1
	if q.job.Schedule.Excluded == schedule.ExcludedShift {
		n = maxMoved
	}
	for _, slot := range schedule.Preview(q.compiled, from.Add(-1), n) {
		if !slot.Named.Equal(q.at) {
			continue
		}
		if slot.Dropped {
			q.dropped = &slot
		} else {
			q.moved = &slot
		}
		return
	}
}

// Instants returns the planned times whose runs the explanation needs.
func (q *Slot) Instants() []time.Time {
	all := slices.Clone(q.asked)
	if q.moved != nil {
		all = append(all, q.moved.At)
	}
	if q.gap != nil {
		all = append(all, q.at.Add(-time.Second), q.at)
	}
	return all
}

// At returns the instant before which records are of interest.
func (q *Slot) At() time.Time { return q.at }

// nearest returns the firings before and after the instant; zero when there is none.
func (q *Slot) nearest() (before, after time.Time) {
	if q.compiled == nil || q.job.Schedule.Kind == schedule.KindAfter {
		return before, after
	}
	from := q.at
	if q.gap != nil { // the end of the gap may fire for what is in it
		from = from.Add(-1)
	}
	after, _ = q.compiled.Next(from)
	return firingBefore(q.compiled, q.at), after
}

// firingBefore returns the last firing before an instant; zero when there is none. It
// bisects the possible time, so it queries a schedule a few dozen times whatever its
// interval.
func firingBefore(s schedule.Schedule, at time.Time) time.Time {
	fires := func(after time.Time) bool {
		next, ok := s.Next(after)
		return ok && next.Before(at)
	}
	low, high := at, at // high never has a firing between it and at
	for reach := time.Second; !fires(low); reach *= 2 {
		if low.Year() < schedule.MinYear {
			return time.Time{}
		}
		high, low = low, at.Add(-reach)
	}
	for high.Sub(low) > time.Millisecond {
		if middle := low.Add(high.Sub(low) / 2); fires(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	found, _ := s.Next(low)
	for next, ok := s.Next(found); ok && next.Before(at); next, ok = s.Next(found) {
		found = next
	}
	return found
}
