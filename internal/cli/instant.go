package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/client"
)

// readInstant reads an instant with its offset, or a time on a zone's clock. A
// clock time that the zone leaves out or repeats is refused, under the name of
// the place where it stands.
func readInstant(place, text string, zone *time.Location) (time.Time, error) {
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
			return time.Time{}, &cronError{place: place, text: fmt.Sprintf(
				"the clock of %s jumps over %s: name a time that exists, or write one with its offset", zone, text)}
		case 1:
			return found[0], nil
		}
		return time.Time{}, &cronError{place: place, text: fmt.Sprintf("the clock of %s shows %s twice: write %s or %s", zone, text,
			found[0].Format(time.RFC3339), found[1].Format(time.RFC3339))}
	}
	return time.Time{}, &cronError{place: place, text: fmt.Sprintf(
		"%q is no time: write it such as 2030-01-31T08:00:00Z, or 2030-01-31T08:00 on the clock of the zone", text)}
}

// onClock returns the instants, in order, at which a zone's clock shows a time;
// wall is that time in UTC.
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

// instant reads the instant that a flag names; zero when it is not given.
func instant(flag, text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := readInstant(flag, text, zone)
	if wrong, ok := errors.AsType[*cronError](err); ok {
		return at, usagef("--%s: %s", wrong.place, wrong.text)
	}
	return at, err
}

// hasOffset reports whether a time says by itself which instant it is.
func hasOffset(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// jobZone returns the zone of a job's schedule, in which the texts of flags are
// read. The server is asked only when one of the texts needs it.
func jobZone(ctx context.Context, c *client.Client, key string, texts ...string) (*time.Location, error) {
	needed := false
	for _, text := range texts {
		needed = needed || text != "" && !hasOffset(text)
	}
	if !needed {
		return time.UTC, nil
	}
	j, err := c.Job(ctx, key)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(j.Schedule.Zone)
	if err != nil {
		return nil, fmt.Errorf("the zone of the job is unknown on this machine: write times with their offset, such as 2030-01-31T08:00:00Z: %w", err)
	}
	return zone, nil
}
