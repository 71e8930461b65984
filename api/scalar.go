package api

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// ID is the id of a run or an attempt: in JSON a text of digits.
type ID int64

// String returns the digits.
func (i ID) String() string { return strconv.FormatInt(int64(i), 10) }

// MarshalText returns the digits.
func (i ID) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText reads digits; the id must be positive, or 0 for none.
func (i *ID) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 63)
	if err != nil {
		return fmt.Errorf("%q is no id: write its digits, such as 1024", text)
	}
	*i = ID(n)
	return nil
}

// Duration is a duration: in JSON a text such as "500ms", "30s" or "1h30m".
type Duration time.Duration

// String returns the text that goes into JSON.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText returns the text that goes into JSON.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what [time.ParseDuration] reads.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no duration: write it such as 500ms, 30s or 1h30m", text)
	}
	*d = Duration(parsed)
	return nil
}

// timeLayout is RFC 3339 with exactly three digits of milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// Time is an instant: in JSON RFC 3339, always with milliseconds and in UTC.
// The zero Time means none and is left out.
type Time struct{ time.Time }

// String returns the text that goes into JSON.
func (t Time) String() string { return t.UTC().Format(timeLayout) }

// MarshalText returns the text that goes into JSON.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MarshalJSON returns the text in quotes.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalText reads RFC 3339 in any zone and truncates it to milliseconds.
func (t *Time) UnmarshalText(text []byte) error {
	parsed, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("%q is no instant: write it such as 2030-01-31T08:00:00Z", text)
	}
	*t = At(parsed)
	return nil
}

// UnmarshalJSON reads a text as UnmarshalText does, and null as none.
func (t *Time) UnmarshalJSON(text []byte) error {
	switch {
	case string(text) == "null":
		*t = Time{}
		return nil
	case len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"':
		return errors.New("an instant must be a text such as \"2030-01-31T08:00:00Z\"")
	}
	return t.UnmarshalText(text[1 : len(text)-1])
}

// At returns the instant as the API shows it.
func At(t time.Time) Time {
	if t.IsZero() {
		return Time{}
	}
	return Time{t.UTC().Truncate(time.Millisecond)}
}
