package cron

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/holidays"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// foundCalendar is a resolved calendar of a cron command.
type foundCalendar struct {
	Name string `json:"name"` // base name for a file
	From string `json:"from"` // source, for people
	// KnownUntil is the last day of the data; zero when it has no end.
	KnownUntil calendar.Date `json:"known_until,omitzero"`

	compiled *calendar.Calendar
	warnings []string
}

// findCalendars resolves calendars by name.
func findCalendars(ctx context.Context, t *kit.Tool, names []string) ([]foundCalendar, error) {
	if len(names) > schedule.MaxCalendars {
		return nil, output.Usagef("--calendar: at most %d calendars are allowed, got %d", schedule.MaxCalendars, len(names))
	}
	var found []foundCalendar
	for _, name := range names {
		next, err := findCalendar(ctx, t, name)
		if err != nil {
			return nil, err
		}
		if lookup(found)(next.Name) != nil {
			return nil, output.Usagef("--calendar: %s is given twice", next.Name)
		}
		found = append(found, next)
	}
	return found, nil
}

// findCalendar resolves a calendar: a file by its extension, then built-in holiday data,
// then a calendar of the server.
func findCalendar(ctx context.Context, t *kit.Tool, name string) (foundCalendar, error) {
	found := foundCalendar{Name: name}
	rules, ok, err := found.offline()
	if err == nil && !ok {
		rules, err = remote(ctx, t, &found)
	}
	if err != nil {
		return found, err
	}
	found.compiled, err = rules.Compile()
	if err != nil {
		return found, fmt.Errorf("calendar %s: %w", name, err)
	}
	found.KnownUntil = rules.KnownUntil
	return found, nil
}

// offline returns the rules of a file or of built-in holiday data; false when the name is
// neither.
func (f *foundCalendar) offline() (calendar.Rules, bool, error) {
	format := timing.CalendarFormat(f.Name)
	if format == "" {
		rules, ok := holidays.Load(f.Name, true)
		f.From = "built-in holiday data"
		return rules, ok, nil
	}
	path := f.Name
	f.Name, f.From = filepath.Base(path), "file "+path
	text, err := timing.ReadCalendarFile(path)
	if err != nil {
		return calendar.Rules{}, true, fmt.Errorf("--calendar: %w", err)
	}
	var rules calendar.Rules
	switch options := (holidays.Options{Weekends: true}); format {
	case timing.FormatICS:
		rules, f.warnings, err = holidays.ParseICS(text, options)
	case timing.FormatCSV:
		rules, f.warnings, err = holidays.ParseCSV(text, options)
	default:
		rules, err = timing.ParseCalendarRules(text)
	}
	if known, ok := errors.AsType[*job.Error](err); ok { // the field of the error names a request field
		err = &job.Error{Kind: known.Kind, Field: "--calendar", Message: path + ": " + known.Message, Hint: known.Hint}
	} else if err != nil {
		err = fmt.Errorf("--calendar: %s: %w", path, err)
	}
	return rules, true, err
}

// remote returns the rules of a calendar of the server.
func remote(ctx context.Context, t *kit.Tool, found *foundCalendar) (calendar.Rules, error) {
	lacks := func(why string, err error) error {
		return &job.Error{
			Kind: job.NotFound, Field: "--calendar", Err: err,
			Message: fmt.Sprintf("%q is not a calendar file (.ics, .csv, .json), not built-in holiday data, and %s", found.Name, why),
			Hint:    "see 'orth calendar builtin' and 'orth calendar list'",
		}
	}
	target, err := t.FindServer()
	switch {
	case job.Is(err, job.Invalid) || job.Is(err, job.Unreachable):
		return calendar.Rules{}, lacks("no server is available", err)
	case err != nil:
		return calendar.Rules{}, err
	}
	c, err := t.Connect()
	if err != nil {
		return calendar.Rules{}, err
	}
	defer c.Close()
	saved, err := remoteCalendar(ctx, c, found.Name)
	if job.Is(err, job.NotFound) || job.Is(err, job.Invalid) {
		return saved.Rules, lacks("not a calendar of the server at "+target.Address.Value, err)
	}
	found.From = "server at " + target.Address.Value
	return saved.Rules, err
}

// remoteCalendar fetches a calendar with a timeout.
func remoteCalendar(ctx context.Context, c *client.Client, key string) (api.Calendar, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return c.Calendar(ctx, key)
}

// namesOf returns the names of calendars.
func namesOf(calendars []foundCalendar) []string {
	names := make([]string, len(calendars))
	for i := range calendars {
		names[i] = calendars[i].Name
	}
	return names
}

// lookup finds the compiled calendars of a schedule.
func lookup(calendars []foundCalendar) schedule.Calendars {
	return func(key string) *calendar.Calendar {
		for i := range calendars {
			if calendars[i].Name == key {
				return calendars[i].compiled
			}
		}
		return nil
	}
}

// remarks returns the sources of the calendars and warnings: unsupported entries, and
// calendars that end before the last printed firing.
func (a *solution) remarks(last time.Time) (sources, warnings []string) {
	for i := range a.calendars {
		c := &a.calendars[i]
		sources = append(sources, fmt.Sprintf("calendar %s: %s", c.Name, c.From))
		for _, text := range c.warnings {
			warnings = append(warnings, "calendar "+c.Name+": "+text)
		}
		if !c.KnownUntil.IsZero() && !last.IsZero() && calendar.DateOf(last.In(a.zone)).Compare(c.KnownUntil) > 0 {
			warnings = append(warnings, fmt.Sprintf("calendar %s ends on %s; later holidays are unknown", c.Name, c.KnownUntil))
		}
	}
	return sources, warnings
}

// slots returns the next firings, at most count, with the effect of calendars: between
// two firings the first dropped ones, and the number of further ones.
func (a *solution) slots(count int) (slots []slotNote) {
	at := a.from
	for range count {
		next, ok := a.when.Next(at)
		end := next
		if !ok {
			end = time.Date(schedule.MaxYear+1, time.January, 1, 0, 0, 0, 0, time.UTC)
		}
		if len(a.calendars) > 0 {
			dropped, more := schedule.Dropped(a.when, at, end, timing.MaxDropped)
			for _, s := range dropped {
				slots = append(slots, slotNote{Slot: s})
			}
			if more > 0 {
				slots[len(slots)-1].more = more // MaxDropped slots precede it
			}
		}
		if !ok {
			break
		}
		slot := schedule.Slot{At: next, Named: next}
		if len(a.calendars) > 0 {
			for _, s := range schedule.Preview(a.when, next.Add(-time.Millisecond), 1) {
				if s.At.Equal(next) && !s.Dropped {
					slot = s
				}
			}
		}
		slots = append(slots, slotNote{Slot: slot})
		at = next
	}
	return slots
}

// slotNote is a slot and the number of omitted dropped slots after it.
type slotNote struct {
	schedule.Slot
	more int
}

// note describes the effect of calendars on a slot, "" for none.
func (s *slotNote) note(zone *time.Location) string {
	f := api.Firing{At: api.At(s.At), Dropped: s.Dropped, Calendar: s.Calendar, Day: s.Day}
	if !s.Named.Equal(s.At) && !s.Dropped {
		f.Named = api.At(s.Named)
	}
	return timing.DescribeFiring(f, zone)
}

// rest describes the omitted dropped slots after a slot, "" for none.
func (s *slotNote) rest() string {
	if s.more == 0 {
		return ""
	}
	return timing.DescribeMoreDropped(s.more)
}
