package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/output"
)

// readInstant parses an instant with an offset, or a local time in a zone. It rejects
// local times that the zone skips or repeats, with an error for the field place.
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
				"%[2]s does not exist in %[1]s: use another time, or add a UTC offset", zone, text)}
		case 1:
			return found[0], nil
		}
		return time.Time{}, &cronError{place: place, text: fmt.Sprintf("%[2]s is ambiguous in %[1]s: use %[3]s or %[4]s", zone, text,
			found[0].Format(time.RFC3339), found[1].Format(time.RFC3339))}
	}
	return time.Time{}, &cronError{place: place, text: fmt.Sprintf(
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

// instant parses the instant of a flag; zero when it is not given.
func instant(flag, text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := readInstant(flag, text, zone)
	if wrong, ok := errors.AsType[*cronError](err); ok {
		return at, output.Usagef("--%s: %s", wrong.place, wrong.text)
	}
	return at, err
}

// hasOffset reports whether a time has a UTC offset.
func hasOffset(text string) bool {
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// jobZone returns the zone of a job's schedule for parsing flags. It calls the server
// only if one of the texts needs the zone.
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
		return nil, fmt.Errorf("the zone of the job is unknown on this machine: use times with a UTC offset, such as 2030-01-31T08:00:00Z: %w", err)
	}
	return zone, nil
}
