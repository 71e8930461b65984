package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/holidays"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// foundCalendar is a calendar that a cron command goes by.
type foundCalendar struct {
	Name string `json:"name"` // of a file, its name without the folder
	From string `json:"from"` // where it comes from, for people
	// KnownUntil is the last day that the data knows; zero when it has no end.
	KnownUntil calendar.Date `json:"known_until,omitzero"`

	compiled *calendar.Calendar
	warnings []string
}

// findCalendars finds the calendars that are named.
func (t *tool) findCalendars(ctx context.Context, names []string) ([]foundCalendar, error) {
	if len(names) > schedule.MaxCalendars {
		return nil, usagef("--calendar: %d calendars are more than the %d that a schedule may name", len(names), schedule.MaxCalendars)
	}
	var found []foundCalendar
	for _, name := range names {
		next, err := t.findCalendar(ctx, name)
		if err != nil {
			return nil, err
		}
		if lookup(found)(next.Name) != nil {
			return nil, usagef("--calendar: %s is named twice", next.Name)
		}
		found = append(found, next)
	}
	return found, nil
}

// findCalendar finds a calendar: a file, by the ending of its name; then holiday
// data of this program; then a calendar of the server.
func (t *tool) findCalendar(ctx context.Context, name string) (foundCalendar, error) {
	found := foundCalendar{Name: name}
	rules, ok, err := found.offline()
	if err == nil && !ok {
		rules, err = t.remote(ctx, &found)
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

// offline returns the rules of a file or of holiday data; false when the name is
// that of neither.
func (f *foundCalendar) offline() (calendar.Rules, bool, error) {
	format := calendarFormat(f.Name)
	if format == "" {
		rules, ok := holidays.Load(f.Name, true)
		f.From = "holiday data of this program"
		return rules, ok, nil
	}
	path := f.Name
	f.Name, f.From = filepath.Base(path), "file "+path
	text, err := readCalendarFile(path)
	if err != nil {
		return calendar.Rules{}, true, fmt.Errorf("--calendar: %w", err)
	}
	var rules calendar.Rules
	switch options := (holidays.Options{Weekends: true}); format {
	case formatICS:
		rules, f.warnings, err = holidays.ParseICS(text, options)
	case formatCSV:
		rules, f.warnings, err = holidays.ParseCSV(text, options)
	default:
		rules, err = readRules(text)
	}
	if known, ok := errors.AsType[*job.Error](err); ok { // its field is that of a request
		err = &job.Error{Kind: known.Kind, Field: "--calendar", Message: path + ": " + known.Message, Hint: known.Hint}
	} else if err != nil {
		err = fmt.Errorf("--calendar: %s: %w", path, err)
	}
	return rules, true, err
}

// remote returns the rules of a calendar of the server.
func (t *tool) remote(ctx context.Context, found *foundCalendar) (calendar.Rules, error) {
	lacks := func(why string, err error) error {
		return &job.Error{
			Kind: job.NotFound, Field: "--calendar", Err: err,
			Message: fmt.Sprintf("%q is no file of a calendar (.ics, .csv, .json), no holiday data of this program, and %s", found.Name, why),
			Hint:    "see 'orth calendar shipped' and 'orth calendar list'",
		}
	}
	target, err := t.find()
	switch {
	case job.Is(err, job.Invalid) || job.Is(err, job.Unreachable):
		return calendar.Rules{}, lacks("there is no server to ask", err)
	case err != nil:
		return calendar.Rules{}, err
	}
	c, err := t.connect()
	if err != nil {
		return calendar.Rules{}, err
	}
	defer c.Close()
	saved, err := remoteCalendar(ctx, c, found.Name)
	if job.Is(err, job.NotFound) || job.Is(err, job.Invalid) {
		return saved.Rules, lacks("no calendar of the server at "+target.address.value, err)
	}
	found.From = "server at " + target.address.value
	return saved.Rules, err
}

// remoteCalendar asks a server, for a while.
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

// lookup finds the compiled calendars for a schedule.
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

// remarks says where the calendars come from, what of them could not be read, and
// which of them end before the last firing that is shown.
func (a *cronAnswer) remarks(last time.Time) (sources, warnings []string) {
	for i := range a.calendars {
		c := &a.calendars[i]
		sources = append(sources, fmt.Sprintf("calendar %s: %s", c.Name, c.From))
		for _, text := range c.warnings {
			warnings = append(warnings, "calendar "+c.Name+": "+text)
		}
		if !c.KnownUntil.IsZero() && !last.IsZero() && calendar.DateOf(last.In(a.zone)).Compare(c.KnownUntil) > 0 {
			warnings = append(warnings, fmt.Sprintf("calendar %s ends on %s: holidays of later days are not known", c.Name, c.KnownUntil))
		}
	}
	return sources, warnings
}

// maxDropped is how many dropped firings in a row are shown.
const maxDropped = 3

// slots returns the next firings, at most count, with what calendars have done to
// them: between two firings the first dropped ones, and how many more there are.
func (a *cronAnswer) slots(count int) (slots []cronSlot) {
	at := a.from
	for range count {
		next, ok := a.when.Next(at)
		end := next
		if !ok {
			end = time.Date(schedule.MaxYear+1, time.January, 1, 0, 0, 0, 0, time.UTC)
		}
		if len(a.calendars) > 0 {
			dropped, more := schedule.Dropped(a.when, at, end, maxDropped)
			for _, s := range dropped {
				slots = append(slots, cronSlot{Slot: s})
			}
			if more > 0 {
				slots[len(slots)-1].more = more // maxDropped are before it
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
		slots = append(slots, cronSlot{Slot: slot})
		at = next
	}
	return slots
}

// cronSlot is a slot, with how many dropped ones follow that are not shown.
type cronSlot struct {
	schedule.Slot
	more int
}

// note says what calendars have done to a slot, "" for nothing.
func (s *cronSlot) note(zone *time.Location) string {
	f := api.Firing{At: api.At(s.At), Dropped: s.Dropped, Calendar: s.Calendar, Day: s.Day}
	if !s.Named.Equal(s.At) && !s.Dropped {
		f.Named = api.At(s.Named)
	}
	return fate(f, zone)
}

// rest says how many dropped firings follow that are not shown, "" for none.
func (s *cronSlot) rest() string {
	if s.more == 0 {
		return ""
	}
	return moreDropped(s.more)
}
