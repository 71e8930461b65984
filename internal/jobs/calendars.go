package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// Almanac makes rules of calendars that others made.
type Almanac interface {
	// ReadICS and ReadCSV read a text and return what of it was left out, in
	// words. Their errors are Invalid with the field "text".
	ReadICS(text string, weekends bool) (calendar.Rules, []string, error)
	ReadCSV(text string, weekends bool) (calendar.Rules, []string, error)
	ShippedAlmanac
}

// ShippedAlmanac is the holiday data that comes with the server.
type ShippedAlmanac interface {
	// Load returns the rules of a key of Shipped, and false for another one.
	Load(key string, weekends bool) (calendar.Rules, bool)
	// Shipped returns what there is, in order of key.
	Shipped() []Shipped
}

// Shipped describes holiday data that comes with the server.
type Shipped struct {
	Key       string
	Title     string
	FirstYear int
	LastYear  int
	Source    string // for people
}

// Import is the source of a calendar's rules: a text, or holiday data that comes with the
// server.
type Import struct {
	// Format is that of Text: "ics" for an iCalendar file, "csv" for lines of
	// date,name[,type].
	Format string
	Text   string
	// Shipped is the key of holiday data, when there is no Text.
	Shipped string
	// Weekends adds Saturdays and Sundays.
	Weekends bool
}

// SaveCalendar writes a calendar, a new one or over the one of its key. With a
// Version it is Conflict when the calendar has another one by now, or is gone.
// What is wrong with the rules is Invalid with the entry as field, such as
// "rules.yearly[2].rule". Jobs that name the calendar follow it from now on; one
// that has no firing left is stopped when it is due next.
func (c *Catalog) SaveCalendar(ctx context.Context, want job.Calendar) (job.Calendar, error) {
	want.Namespace = cmp.Or(want.Namespace, job.DefaultNamespace)
	if err := checkCalendar(&want); err != nil {
		return job.Calendar{}, err
	}
	for range writeTries {
		next, err := c.over(ctx, want)
		if err != nil {
			return job.Calendar{}, err
		}
		saved, err := c.config.Calendars.SaveCalendar(ctx, next)
		if job.Is(err, job.Conflict) && want.Version == 0 {
			continue // a concurrent writer was faster: overwrite its version
		}
		if err != nil {
			return job.Calendar{}, fmt.Errorf("save calendar %s: %w", want.Key, err)
		}
		c.config.Hooks.Scheduled()
		return saved, nil
	}
	return job.Calendar{}, job.Errorf(job.Conflict, "calendar %s is changed by others all the time; try again", want.Key)
}

// over returns the calendar as it is to be written over the one that exists.
func (c *Catalog) over(ctx context.Context, want job.Calendar) (job.Calendar, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	there, err := c.Calendar(ctx, want.Namespace, want.Key)
	switch {
	case job.Is(err, job.NotFound) && want.Version == 0:
		want.ID, want.CreatedAt, want.UpdatedAt = 0, now, now
		return want, nil
	case job.Is(err, job.NotFound):
		return want, job.Errorf(job.Conflict, "calendar %s was deleted meanwhile: leave the version out to make it anew", want.Key)
	case err != nil:
		return want, fmt.Errorf("read calendar %s: %w", want.Key, err)
	case want.Version != 0 && want.Version != there.Version:
		return want, job.Errorf(job.Conflict, "calendar %s was changed meanwhile: its version is %d, the change was made from %d; look at it and try again",
			want.Key, there.Version, want.Version)
	}
	want.ID, want.Version, want.CreatedAt, want.UpdatedAt = there.ID, there.Version, there.CreatedAt, now
	return want, nil
}

// ImportCalendar creates the rules of a calendar and saves it as SaveCalendar does. The
// warnings list the parts of a text that could not be imported.
func (c *Catalog) ImportCalendar(ctx context.Context, want job.Calendar, from Import) (job.Calendar, []string, error) {
	rules, warnings, err := c.rules(&from)
	if err != nil {
		return job.Calendar{}, nil, err
	}
	want.Rules = rules
	saved, err := c.SaveCalendar(ctx, want)
	return saved, warnings, err
}

// rules makes the rules of a calendar.
func (c *Catalog) rules(from *Import) (calendar.Rules, []string, error) {
	switch {
	case from.Shipped != "":
		rules, ok := c.config.Almanac.Load(from.Shipped, from.Weekends)
		if !ok {
			return rules, nil, job.FieldErrorf("shipped", "there is no holiday data %q: list what there is, or give the calendar as a text", from.Shipped)
		}
		return rules, nil, nil
	case from.Format == "ics":
		return c.config.Almanac.ReadICS(from.Text, from.Weekends)
	case from.Format == "csv":
		return c.config.Almanac.ReadCSV(from.Text, from.Weekends)
	}
	return calendar.Rules{}, nil, job.FieldErrorf("format", "%q is unknown; use one of [ics csv]", from.Format)
}

// DeleteCalendar removes a calendar. Kinds: Conflict when jobs name it, with some
// of their keys; NotFound.
func (c *Catalog) DeleteCalendar(ctx context.Context, namespace, key string) error {
	if err := c.config.Calendars.DeleteCalendar(ctx, cmp.Or(namespace, job.DefaultNamespace), key); err != nil {
		return fmt.Errorf("delete calendar %s: %w", key, err)
	}
	return nil
}

// ShippedCalendars returns the holiday data that comes with the server, in order
// of key.
func (c *Catalog) ShippedCalendars() []Shipped { return c.config.Almanac.Shipped() }

// checkCalendar reports the first thing wrong with a calendar, naming its field.
func checkCalendar(c *job.Calendar) error {
	if err := cmp.Or(job.CheckKey("namespace", c.Namespace), job.CheckKey("key", c.Key), jobrows.CheckText("title", c.Title)); err != nil {
		return err
	}
	if utf8.RuneCountInString(c.Title) > job.MaxTitle {
		return job.FieldErrorf("title", "has more than %d characters", job.MaxTitle)
	}
	if _, err := c.Rules.Compile(); err != nil {
		at, ok := errors.AsType[*calendar.Error](err)
		if !ok {
			return job.FieldErrorf("rules", "%w", err)
		}
		wrong := job.FieldErrorf("rules."+at.Input, "%s", at.Message)
		wrong.Hint = at.Hint
		return wrong
	}
	text, err := json.Marshal(c.Rules)
	if err != nil {
		return job.FieldErrorf("rules", "cannot be written as JSON: %w", err)
	}
	if len(text) > job.MaxCalendarBytes {
		return job.FieldErrorf("rules", "have %d bytes as JSON, at most %d are allowed: use ranges and yearly rules, or leave out old years",
			len(text), job.MaxCalendarBytes)
	}
	return nil
}
