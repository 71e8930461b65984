package holidays

import (
	"fmt"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// Limits of a text.
const (
	MaxBytes = 512 << 10
	// MaxDays bounds the days that a text names. Of more, the first are read, with a
	// warning.
	MaxDays = calendar.MaxDays
	// maxMentions bounds how often a text names days, also the same one.
	maxMentions = 200_000
	// maxWarnings bounds the warnings; a last one counts what it leaves out.
	maxWarnings = 20
)

// Options select what to read from a text.
type Options struct {
	// Weekends names Saturdays and Sundays too.
	Weekends bool
	// From and To bound the days that are taken, both included. Zero means
	// no bound.
	From, To calendar.Date
}

// window returns the bounds within the years that calendars know.
func (o Options) window() (first, last calendar.Date, err error) {
	first, last = calendar.Date{Year: calendar.MinYear, Month: 1, Day: 1}, calendar.Date{Year: calendar.MaxYear, Month: 12, Day: 31}
	if !o.From.IsZero() && o.From.Compare(first) > 0 {
		first = o.From
	}
	if !o.To.IsZero() && o.To.Compare(last) < 0 {
		last = o.To
	}
	if first.Compare(last) > 0 {
		return first, last, job.FieldErrorf("to", "%s is before %s: exchange the bounds", last, first)
	}
	return first, last, nil
}

// weekend returns the weekdays that Weekends names.
func weekend() []calendar.Weekday { return []calendar.Weekday{6, 0} }

// checkSize refuses a text that is too long.
func checkSize(text []byte) error {
	if len(text) > MaxBytes {
		return job.FieldErrorf("text", "has %d bytes: at most %d are allowed", len(text), MaxBytes)
	}
	return nil
}

// lineErrorf makes the error of a line of the text. The message names the fault and what to
// write instead.
func lineErrorf(line int, format string, args ...any) error {
	return job.FieldErrorf("text", "line %d: %s", line, fmt.Sprintf(format, args...))
}
