package reading

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/internal/logformat"
	"github.com/orthd/orth/job"
)

// maxProbed is how many pages are looked through for a time.
const maxProbed = 64

// At returns the number of the first line of the log that was written at or after an
// instant, and the one behind the last when there is none yet. Where lines begin with
// a time, that counts; else when they have reached a server. Of a log that no server
// knows, and whose lines have no times, it is the first line.
func (r *Reader) At(ctx context.Context, a job.Attempt, at time.Time) (int, error) {
	v, err := r.look(ctx, a)
	if err != nil {
		return 0, err
	}
	from := v.log.Lines + 1
	if v.log.Text != "" {
		from = 1
	} else if v.log.Lines > 0 {
		c, found, err := r.config.Index.ChunkAt(ctx, a.ID, at)
		if err != nil {
			return 0, fmt.Errorf("find %s in the log of attempt %d: %w", at.Format(time.RFC3339), a.ID, err)
		}
		if found {
			from = c.FirstLine
		}
	}
	timed := false
	for range maxProbed {
		page, arrived, err := r.probe(ctx, &v, from, at)
		if err != nil {
			return 0, err
		}
		if page.To < from {
			break
		}
		before, stamped, found := since(page.Text, at, r.config.Zone)
		switch {
		case found:
			return from + before, nil
		case !stamped && arrived:
			return from, nil
		}
		timed = timed || stamped
		from = page.To + 1
	}
	if !timed && !v.known && !v.held {
		return 1, nil
	}
	return from, nil
}

// probe returns the lines that reached a server together, and whether that was not
// before an instant, as far as it is known.
func (r *Reader) probe(ctx context.Context, v *view, from int, at time.Time) (page job.LogPage, arrived bool, err error) {
	limit := maxPageLines
	switch {
	case v.log.Text != "":
		arrived = !v.log.EndedAt.Before(at)
	case from <= v.log.Lines:
		chunks, err := r.config.Index.Chunks(ctx, v.attempt.ID, from, 1)
		if err != nil {
			return page, false, fmt.Errorf("find line %d of the log of attempt %d: %w", from, v.attempt.ID, err)
		}
		if len(chunks) > 0 {
			limit = max(chunks[0].Last()-from+1, 1)
			arrived = !chunks[0].LastAt.Before(at)
		}
	default:
		arrived = v.held && !at.After(time.Now())
	}
	page, err = r.read(ctx, v, from, limit)
	return page, arrived, err
}

// since returns how many lines stand before the first that begins with a time not before
// at, and whether there is one; stamped reports whether any line begins with a time.
func since(text string, at time.Time, zone *time.Location) (before int, stamped, found bool) {
	for line := range strings.Lines(text) {
		if t, ok := logformat.Stamp(line, zone); ok {
			stamped = true
			if !t.Before(at) {
				return before, true, true
			}
		}
		before++
	}
	return before, stamped, false
}
