package watch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/alarm"
)

// sight is a snapshot of the conditions in the database.
type sight struct {
	late map[int64]Waiting     // per job: the run that is late longest
	jobs map[int64]alarm.Event // late jobs without an open event, if a rule asks for them
	cut  bool                  // a group has more waiting runs than the detector read
	// waits holds the reported runs that are outside the rows read but still wait.
	waits map[int64]bool
	piled []pile
	down  []alarm.Event
}

// pile is a group with too many waiting runs.
type pile struct {
	group alarm.Event
	count int
	more  bool // the group has more than count
}

// subject identifies the job or group that an event is about.
type subject struct {
	source alarm.Source
	id     int64
}

// decide returns the events to report, ordered by subject. It is pure. When calm is set, it
// opens no new events.
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

// present returns one event per condition that holds now. Events of late jobs that are
// missing in s.jobs have no JobKey.
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

// goesOn returns the change for an open event, if any: it ends, it is repeated, or another
// run of the job is now the late one.
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

// ended returns the event that closes was.
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

// stamp formats an instant for reasons.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
