package calendar

import (
	"fmt"
	"time"
)

// MinYear and MaxYear bound the dates that calendars know; they are those in
// which schedules fire.
const (
	MinYear = 1970
	MaxYear = 2126
)

// Date is a day without a zone. Its text is "2026-05-01". The zero Date is no
// day.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the day that a clock in the zone of t shows.
func DateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}

// ParseDate reads a text such as "2026-05-01" of a day that exists.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < MinYear || t.Year() > MaxYear {
		return Date{}, fmt.Errorf("%q is no date: write it such as 2026-05-01, in the years %d-%d", text, MinYear, MaxYear)
	}
	return DateOf(t), nil
}

// IsZero reports whether d is no day.
func (d Date) IsZero() bool { return d == Date{} }

// String returns the text of d.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day) }

// MarshalText returns the text of d.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what [ParseDate] reads.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// Weekday returns the weekday of d.
func (d Date) Weekday() time.Weekday { return d.midnight().Weekday() }

// Add returns the day n days later, or earlier when n is negative.
func (d Date) Add(n int) Date { return DateOf(d.midnight().AddDate(0, 0, n)) }

// Compare returns -1, 0 or 1 as d is before, the same as or after other.
func (d Date) Compare(other Date) int { return d.midnight().Compare(other.midnight()) }

// exists reports whether d is a day of a month of the known years.
func (d Date) exists() bool {
	return d.Year >= MinYear && d.Year <= MaxYear && DateOf(d.midnight()) == d
}

func (d Date) midnight() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }
