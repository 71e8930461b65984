package planner

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// rulesAge is the maximum age of the rules of a plan, without an announced change.
const rulesAge = time.Second

// rules are the calendars and pauses from the planner's last read. Only the loop uses them.
type rules struct {
	store  RuleStore
	logger *slog.Logger

	version int64
	readAt  time.Time
	stale   bool // they may have changed since
	pauses  []*pause
	// calendars are compiled when a schedule first names them. Epoch grows when a calendar
	// is added, changed or removed.
	calendars map[calendarKey]*compiledCalendar
	epoch     int64
}

type calendarKey struct{ namespace, key string }

// compiledCalendar is a calendar. A calendar that cannot be compiled has a nil Calendar, like a
// missing one.
type compiledCalendar struct {
	row      job.Calendar
	tried    bool
	compiled *calendar.Calendar
}

// refresh reads the rules when the cached ones may be too old.
func (r *rules) refresh(ctx context.Context, now time.Time) error {
	if age := now.Sub(r.readAt); !r.stale && age >= 0 && age < rulesAge {
		return nil
	}
	fresh, err := r.store.Rules(ctx, r.version)
	if err != nil {
		return fmt.Errorf("read calendars and pauses: %w", err)
	}
	r.readAt, r.stale = now, false
	if fresh != nil {
		r.replace(fresh)
	}
	return nil
}

// replace replaces the rules. Unchanged calendars stay compiled.
func (r *rules) replace(fresh *Rules) {
	r.version = fresh.Version
	calendars, changed := make(map[calendarKey]*compiledCalendar, len(fresh.Calendars)), false
	for i := range fresh.Calendars {
		row := fresh.Calendars[i]
		key := calendarKey{row.Namespace, row.Key}
		e := r.calendars[key]
		if e == nil || e.row.ID != row.ID || e.row.Version != row.Version {
			e, changed = &compiledCalendar{row: row}, true
		}
		calendars[key] = e
	}
	if changed || len(calendars) != len(r.calendars) {
		r.epoch++
	}
	r.calendars = calendars
	r.pauses = r.pauses[:0]
	for i := range fresh.Pauses {
		p, err := newPause(&fresh.Pauses[i])
		if err != nil {
			r.logger.Error("pause cannot be read; it holds nothing", "pause", fresh.Pauses[i].Key, "error", err)
			continue
		}
		r.pauses = append(r.pauses, p)
	}
}

// calendarsOf returns the calendars of a namespace.
func (r *rules) calendarsOf(namespace string) schedule.Calendars {
	return func(key string) *calendar.Calendar {
		e := r.calendars[calendarKey{namespace, key}]
		if e == nil {
			return nil
		}
		if !e.tried {
			e.tried = true
			var err error
			if e.compiled, err = e.row.Rules.Compile(); err != nil {
				e.compiled = nil
				r.logger.Error("calendar cannot be read", "namespace", namespace, "calendar", key, "error", err)
			}
		}
		return e.compiled
	}
}

// pause is a compiled Pause. Only the loop uses it.
type pause struct {
	key, reason, namespace string
	groups                 []int64
	everyGroup             bool
	hold                   *job.Hold
	// The pause certainly holds nothing from clearFrom until before begins: jobs of one
	// plan query nearly the same instants.
	clearFrom, begins time.Time
}

func newPause(p *Pause) (*pause, error) {
	hold, err := p.Compile()
	if err != nil {
		return nil, err
	}
	return &pause{
		key: p.Key, reason: p.Reason, namespace: p.Namespace, groups: p.GroupIDs, everyGroup: len(p.Groups) == 0, hold: hold,
	}, nil
}

func (p *pause) concerns(d *Due) bool {
	return (p.namespace == "" || p.namespace == d.Namespace) && (p.everyGroup || slices.Contains(p.groups, d.GroupID))
}

// holdsAt reports whether the pause holds at an instant, and until when, zero meaning open.
// While it does not, begins is when it will.
func (p *pause) holdsAt(t time.Time) (until time.Time, held bool) {
	if !t.Before(p.clearFrom) && t.Before(p.begins) {
		return time.Time{}, false
	}
	if until, held = p.hold.At(t); held {
		return until, true
	}
	begins, ok := p.hold.Next(t)
	if !ok {
		begins = never
	}
	p.clearFrom, p.begins = t, begins
	return time.Time{}, false
}

// never is later than every firing.
var never = time.Date(schedule.MaxYear+2, 1, 1, 0, 0, 0, 0, time.UTC)

// pauseEffect is the effect of pauses on a job at an instant.
type pauseEffect struct {
	// by is the pause that holds the job longest; nil for none. Until is when it ends, zero
	// when it is open.
	by    *pause
	until time.Time
	// begins is when the next pause begins, while none holds the job.
	begins time.Time
}

// judge returns the effect of pauses on a job at an instant.
func judge(pauses []*pause, d *Due, at time.Time) pauseEffect {
	v := pauseEffect{begins: never}
	for _, p := range pauses {
		if !p.concerns(d) {
			continue
		}
		until, held := p.holdsAt(at)
		switch {
		case !held:
			if p.begins.Before(v.begins) {
				v.begins = p.begins
			}
		case v.by == nil || !v.until.IsZero() && (until.IsZero() || until.After(v.until)):
			v.by, v.until = p, until
		}
	}
	return v
}
