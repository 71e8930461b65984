package watch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/alarm"
)

// sight is what stands in the database at a moment.
type sight struct {
	late map[int64]Waiting     // of jobs: the run that is late longest
	jobs map[int64]alarm.Event // those of late that were not told of, as far as somebody asks
	cut  bool                  // a group has more waiting runs than were looked at
	// waits are the runs that were told of, are not seen, and wait on.
	waits map[int64]bool
	piled []pile
	down  []alarm.Event
}

// pile is a group with too many waiting runs.
type pile struct {
	group alarm.Event
	count int
	more  bool // it has more of them
}

// subject is what an event is about.
type subject struct {
	source alarm.Source
	id     int64
}

// decide says what is to be told, in order of what it is about. It is pure. With calm
// nothing begins.
func decide(said []Said, s sight, now time.Time, every time.Duration, calm bool) []Change {
	present := s.present(now)
	var changes []Change
	for i := range said {
		was := &said[i]
		key := subject{was.Event.Source, was.Subject()}
		is, lasts := present[key]
		delete(present, key)
		if c, changed := goesOn(was, is, lasts || s.waits[was.Event.RunID], now, every); changed {
			changes = append(changes, c)
		}
	}
	if calm {
		return changes
	}
	for _, key := range slices.SortedFunc(maps.Keys(present), subject.compare) {
		if e := present[key]; key.source != alarm.SourceLate || e.JobKey != "" {
			changes = append(changes, Change{Said: Said{Event: e, ToldAt: now}, Tell: &e})
		}
	}
	return changes
}

func (a subject) compare(b subject) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.id, b.id))
}

// present returns the events that would tell of all that is the case. Those of late
// jobs that are not in jobs have no JobKey.
func (s *sight) present(now time.Time) map[subject]alarm.Event {
	all := make(map[subject]alarm.Event, len(s.late)+len(s.piled)+len(s.down))
	for id, r := range s.late {
		e := s.jobs[id]
		e.At, e.Source, e.JobID, e.RunID = now, alarm.SourceLate, id, r.RunID
		e.PlannedAt, e.Since, e.Cause = r.PlannedAt, r.DueAt, r.Cause
		e.Reason = fmt.Sprintf("run %d is due since %s, and no executor has begun it", r.RunID, stamp(r.DueAt))
		all[subject{e.Source, id}] = e
	}
	for _, p := range s.piled {
		e := p.group
		e.At, e.Source, e.Since, e.Count = now, alarm.SourceWaiting, now, p.count
		e.Reason = fmt.Sprintf("%d%s runs of group %s wait although they are due", e.Count, orMore(p.more), e.Group)
		all[subject{e.Source, e.GroupID}] = e
	}
	for _, e := range s.down {
		e.At, e.Source, e.Since = now, alarm.SourceDown, now
		e.Reason = fmt.Sprintf("group %s has no executor, and jobs that are started", e.Group)
		all[subject{e.Source, e.GroupID}] = e
	}
	return all
}

// goesOn says what becomes of something that was told: it is over, it is told again,
// or another run of the job is the late one now.
func goesOn(was *Said, is alarm.Event, lasts bool, now time.Time, every time.Duration) (Change, bool) {
	c := Change{Said: *was, Was: was.ToldAt}
	switch {
	case !lasts:
		over := ended(&was.Event, now)
		c.Over, c.Tell = true, &over
		return c, true
	case was.Event.Source == alarm.SourceWaiting && now.Sub(was.ToldAt) >= every-every/10:
		is.Since = was.Event.Since
		c.Said, c.Tell = Said{Event: is, ToldAt: now}, &is
		return c, true
	case was.Event.Source == alarm.SourceLate && is.RunID != 0 && is.RunID != was.Event.RunID:
		c.Said.Event.RunID, c.Said.Event.Since, c.Said.Event.PlannedAt = is.RunID, is.Since, is.PlannedAt
		c.Said.ToldAt = now
		return c, true
	}
	return Change{}, false
}

// ended returns the event that tells that something is over.
func ended(was *alarm.Event, now time.Time) alarm.Event {
	e := *was
	e.At = now
	lasted := now.Sub(e.Since).Round(time.Second)
	switch was.Source {
	case alarm.SourceLate:
		e.Source = alarm.SourceBegun
		e.Reason = fmt.Sprintf("no run of the job is late any more; the last one, run %d, was due at %s", e.RunID, stamp(e.Since))
	case alarm.SourceWaiting:
		e.Count = 0
		e.Reason = fmt.Sprintf("the runs of group %s do not pile up any more, after %s", e.Group, lasted)
	default:
		e.Source = alarm.SourceUp
		e.Reason = fmt.Sprintf("group %s has an executor, or no jobs that are started, after %s", e.Group, lasted)
	}
	return e
}

func orMore(more bool) string {
	if more {
		return " or more"
	}
	return ""
}

// stamp returns an instant as reasons tell it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
