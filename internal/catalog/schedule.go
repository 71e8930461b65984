package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// scheduleDefaults fills what the user left out of the schedule of a job.
func scheduleDefaults(s *schedule.Spec, namespace, key string, now time.Time) {
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

// calendars are compiled calendars of one namespace by key.
type calendars map[string]*calendar.Calendar

// find returns the calendar, nil when there is none.
func (c calendars) find(key string) *calendar.Calendar { return c[key] }

// calendarsOf returns the calendars that a schedule names, as far as they exist.
func (c *Catalog) calendarsOf(ctx context.Context, namespace string, s *schedule.Spec) (calendars, error) {
	known := calendars{}
	if err := c.addCalendars(ctx, known, namespace, s); err != nil {
		return nil, err
	}
	return known, nil
}

// addCalendars adds those that a schedule names and that are not among the known
// ones, as far as they exist.
func (c *Catalog) addCalendars(ctx context.Context, known calendars, namespace string, s *schedule.Spec) error {
	for _, key := range named(s) {
		if known[key] != nil {
			continue
		}
		found, err := c.Calendar(ctx, namespace, key)
		if job.Is(err, job.NotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the calendar %s: %w", key, err)
		}
		compiled, err := found.Rules.Compile()
		if err != nil {
			return job.FieldErrorf("schedule.calendars", "the calendar %q cannot be used: %w; save it anew", key, err)
		}
		known[key] = compiled
	}
	return nil
}

// named returns the calendars that a schedule names, each once. Of a schedule
// that names more than is allowed it leaves some out.
func named(s *schedule.Spec) []string {
	keys := slices.Clone(firstOf(s.Calendars, schedule.MaxCalendars))
	for i := range firstOf(s.Of, schedule.MaxSeveral) {
		keys = append(keys, firstOf(s.Of[i].Calendars, schedule.MaxCalendars)...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func firstOf[T any](list []T, n int) []T { return list[:min(len(list), n)] }

// checkNewOnce refuses a new job that is to fire at an instant and after a while
// both. Once it was started it has the two.
func checkNewOnce(s *schedule.Spec) error {
	if s.Kind == schedule.KindOnce && s.Delay != 0 && !s.At.IsZero() {
		return job.FieldErrorf("schedule.at", "is set, and delay too: the job fires once, at an instant or a while after it is started; leave one of them out")
	}
	return nil
}

// checkSchedule reports the first thing wrong with a schedule.
func checkSchedule(s *schedule.Spec, known calendars) error {
	return scheduleError("schedule.", s.ValidateWith(known.find))
}

// checkMisfireLimits reports the first thing wrong with the limits.
func checkMisfireLimits(l schedule.MisfireLimits) error { return scheduleError("", l.Validate()) }

// scheduleError returns an error of package schedule about a field, nil for nil.
func scheduleError(prefix string, err error) error {
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

// checkInstant refuses an instant, unless it is zero, that no schedule knows.
func checkInstant(field string, at time.Time) error {
	if year := at.UTC().Year(); !at.IsZero() && (year < schedule.MinYear || year > schedule.MaxYear) {
		return job.FieldErrorf(field, "the year %d is out of range; allowed are the years %d-%d", year, schedule.MinYear, schedule.MaxYear)
	}
	return nil
}

// enable starts the job at now: its next firing is the first one after now, or
// now itself for a fixed delay.
func enable(j *job.Job, now time.Time, known calendars) error {
	if j.Schedule.Kind == schedule.KindManual {
		return job.FieldErrorf("schedule", "a job with a manual schedule never fires by itself, so it cannot be started; trigger it")
	}
	if err := aim(j, now, known); err != nil {
		return err
	}
	if j.StopReason != "" {
		j.Fired = 0
	}
	j.Enabled = true
	j.StopReason, j.HeldBy, j.Failures = "", "", 0
	return nil
}

// aim sets the next firing of a job that goes by its schedule from now on.
func aim(j *job.Job, now time.Time, known calendars) error {
	startClock(&j.Schedule, now)
	s, err := j.Schedule.CompileWith(known.find)
	if err != nil {
		return scheduleError("schedule.", err)
	}
	next, ok := begin(&j.Schedule, s, now)
	if !ok {
		wrong := job.FieldErrorf("schedule", "%s has no firing after %s", j.Schedule, now.Format(time.RFC3339))
		wrong.Hint = "its time is over, or its calendars leave no day: give it another schedule"
		return wrong
	}
	j.NextAt = next
	return nil
}

// startClock sets the instant of a schedule that fires a while after its job is
// started.
func startClock(s *schedule.Spec, now time.Time) {
	if s.Kind == schedule.KindOnce && s.Delay > 0 {
		s.At = now.Add(s.Delay)
	}
}

// begin returns the first firing of a job that is started at now, and false when
// there is none. A fixed delay begins at once.
func begin(spec *schedule.Spec, s schedule.Schedule, now time.Time) (time.Time, bool) {
	if spec.Kind == schedule.KindAfter {
		return schedule.First(s, now)
	}
	return s.Next(now)
}
