package timing

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
)

// ParseInstant parses an instant with an offset, or a local time in a zone. It rejects
// local times that the zone skips or repeats, with an error for the field place.
func ParseInstant(place, text string, zone *time.Location) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	for _, layout := range [...]string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		wall, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		found := onClock(wall, zone)
		switch len(found) {
		case 0:
			return time.Time{}, &InputError{Place: place, Text: fmt.Sprintf(
				"%[2]s does not exist in %[1]s: use another time, or add a UTC offset", zone, text)}
		case 1:
			return found[0], nil
		}
		return time.Time{}, &InputError{Place: place, Text: fmt.Sprintf("%[2]s is ambiguous in %[1]s: use %[3]s or %[4]s", zone, text,
			found[0].Format(time.RFC3339), found[1].Format(time.RFC3339))}
	}
	return time.Time{}, &InputError{Place: place, Text: fmt.Sprintf(
		"%q is not a time: use the form 2030-01-31T08:00:00Z, or 2030-01-31T08:00 for the local time of the zone", text)}
}

// onClock returns the instants, in order, at which a zone shows a local time; wall is
// the local time written as UTC.
func onClock(wall time.Time, zone *time.Location) []time.Time {
	const day = 24 * time.Hour // clocks change less often than daily
	var found []time.Time
	for _, near := range [...]time.Time{wall.Add(-day), wall.Add(day)} {
		_, offset := near.In(zone).Zone()
		at := wall.Add(-time.Duration(offset) * time.Second).In(zone)
		if _, shown := at.Zone(); shown == offset && (len(found) == 0 || !found[0].Equal(at)) {
			found = append(found, at)
		}
	}
	return found
}

// ParseFlag parses the instant of a flag; zero when it is not given.
func ParseFlag(flag, text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := ParseInstant(flag, text, zone)
	if wrong, ok := errors.AsType[*InputError](err); ok {
		return at, output.Usagef("--%s: %s", wrong.Place, wrong.Text)
	}
	return at, err
}

// HasOffset reports whether a time has a UTC offset.
func HasOffset(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// MaxDropped is the maximum number of consecutive dropped firings to print.
const MaxDropped = 3

// DescribeMoreDropped describes omitted dropped firings.
func DescribeMoreDropped(n int) string { return fmt.Sprintf("(%d more are dropped)", n) }

// DescribeFiring describes how calendars and jitter change a firing, "" for no change. Times are in
// the given zone.
func DescribeFiring(f api.Firing, zone *time.Location) string {
	reason := ""
	if f.Calendar != "" {
		reason = " by calendar " + f.Calendar
		if f.Day != "" {
			reason += ": " + f.Day
		}
	}
	switch {
	case f.Dropped && !f.Into.IsZero():
		return "merged with " + f.Into.In(zone).Format(time.DateOnly) + reason
	case f.Dropped:
		return "dropped" + reason
	case f.Named.IsZero():
		return ""
	case f.Calendar == "": // the jitter
		return FormatDuration(f.At.Sub(f.Named.Time)) + " after " + f.Named.In(zone).Format("15:04:05")
	}
	return "moved from " + f.Named.In(zone).Format(time.DateOnly) + reason
}

// FormatDuration formats a duration without the zero units of [time.Duration].
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
