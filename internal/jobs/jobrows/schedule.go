package jobrows

import (
	"errors"
	"slices"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// FillSchedule fills what the user left out of the schedule of a job.
func FillSchedule(s *schedule.Spec, namespace, key string, now time.Time) {
	if s.Kind == "" {
		s.Kind = schedule.KindManual
	}
	paceDefaults(s, now)
	of := make([]schedule.Spec, len(s.Of)) // the user's own stay as they are
	for i := range s.Of {
		of[i] = s.Of[i]
		paceDefaults(&of[i], now)
	}
	if len(of) > 0 {
		s.Of = of
	}
	s.Seed = 0
	if s.Jitter > 0 {
		s.Seed = schedule.Seed(namespace, key)
	}
}

// paceDefaults fills what belongs to one kind of schedule.
func paceDefaults(s *schedule.Spec, now time.Time) {
	switch s.Kind {
	case schedule.KindCron, schedule.KindDaily:
		if s.DST == nil {
			wall := schedule.Wall()
			s.DST = &wall
		}
	case schedule.KindEvery:
		if s.Anchor.IsZero() {
			s.Anchor = now
		}
	default: // the others have nothing to fill
	}
}

// Calendars are compiled calendars of one namespace by key.
type Calendars map[string]*calendar.Calendar

// Find returns the calendar, nil when there is none.
func (c Calendars) Find(key string) *calendar.Calendar { return c[key] }

// CalendarKeys returns the calendars that a schedule names, each once. Of a schedule
// that names more than is allowed it leaves some out.
func CalendarKeys(s *schedule.Spec) []string {
	keys := slices.Clone(firstOf(s.Calendars, schedule.MaxCalendars))
	for i := range firstOf(s.Of, schedule.MaxSeveral) {
		keys = append(keys, firstOf(s.Of[i].Calendars, schedule.MaxCalendars)...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func firstOf[T any](list []T, n int) []T { return list[:min(len(list), n)] }

// CheckNewOnce refuses a new job that is to fire at an instant and after a while
// both. Once it was started it has the two.
func CheckNewOnce(s *schedule.Spec) error {
	if s.Kind == schedule.KindOnce && s.Delay != 0 && !s.At.IsZero() {
		return job.FieldErrorf("schedule.at", "is set, and delay too: the job fires once, at an instant or a while after it is started; leave one of them out")
	}
	return nil
}

// CheckSchedule reports the first thing wrong with a schedule.
func CheckSchedule(s *schedule.Spec, known Calendars) error {
	return ScheduleError("schedule.", s.ValidateWith(known.Find))
}

// CheckMisfireLimits reports the first thing wrong with the limits.
func CheckMisfireLimits(l schedule.MisfireLimits) error { return ScheduleError("", l.Validate()) }

// ScheduleError returns an error of package schedule about a field, nil for nil.
func ScheduleError(prefix string, err error) error {
	if err == nil {
		return nil
	}
	at, ok := errors.AsType[*schedule.Error](err)
	if !ok {
		return job.FieldErrorf("schedule", "%w", err)
	}
	bare := *at
	bare.Hint = "" // it has a place of its own
	wrong := job.FieldErrorf(prefix+at.Input, "%w", &bare)
	wrong.Hint = at.Hint
	return wrong
}

// SetStart sets the instant of a schedule that fires a while after its job is
// started.
func SetStart(s *schedule.Spec, now time.Time) {
	if s.Kind == schedule.KindOnce && s.Delay > 0 {
		s.At = now.Add(s.Delay)
	}
}

// SpellOut returns the schedule with the rules for steps of the clock that it has
// by default, so that they are not taken for missing.
func SpellOut(s schedule.Spec) schedule.Spec {
	if s.DST == nil && (s.Kind == schedule.KindCron || s.Kind == schedule.KindDaily) {
		rules := schedule.Quartz()
		s.DST = &rules
	}
	s.Of = slices.Clone(s.Of)
	for i := range s.Of {
		s.Of[i] = SpellOut(s.Of[i])
	}
	return s
}
