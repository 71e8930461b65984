package jobrows

import (
	"cmp"
	"context"
	"fmt"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Calendar returns a calendar, or NotFound.
func (f *Finder) Calendar(ctx context.Context, namespace, key string) (job.Calendar, error) {
	return f.sources.Calendars.Calendar(ctx, cmp.Or(namespace, job.DefaultNamespace), key)
}

// Calendars returns the calendars of a namespace, [access.All] for all, in order of
// namespace and key.
func (f *Finder) Calendars(ctx context.Context, namespace string) ([]job.Calendar, error) {
	return f.sources.Calendars.Calendars(ctx, cmp.Or(namespace, job.DefaultNamespace))
}

// CalendarsOf returns the calendars that a schedule names, as far as they exist.
func (f *Finder) CalendarsOf(ctx context.Context, namespace string, s *schedule.Spec) (Calendars, error) {
	known := Calendars{}
	if err := f.AddCalendars(ctx, known, namespace, s); err != nil {
		return nil, err
	}
	return known, nil
}

// AddCalendars adds those that a schedule names and that are not among the known
// ones, as far as they exist.
func (f *Finder) AddCalendars(ctx context.Context, known Calendars, namespace string, s *schedule.Spec) error {
	for _, key := range CalendarKeys(s) {
		if known[key] != nil {
			continue
		}
		found, err := f.Calendar(ctx, namespace, key)
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
