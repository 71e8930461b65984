package wiretest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// twoFirings is longer than what lies between two firings of a job that fires every
// second.
const twoFirings = 2500 * time.Millisecond

// soonAfter is how far ahead the instant is that the word soon names: Java admins let
// a job that was started fire five seconds later at the earliest.
const soonAfter = 7 * time.Second

// soon returns a cron expression for one instant that comes soon, and no other.
func soon(now time.Time) string {
	at := now.Add(soonAfter).Truncate(time.Second).UTC()
	return fmt.Sprintf("%d %d %d %d %d ? %d", at.Second(), at.Minute(), at.Hour(), at.Day(), int(at.Month()), at.Year())
}

// switches starts or stops a job, or compares whether it fires.
func (r *round) switches(ctx context.Context, s *step) error {
	q := s.Switch
	switcher, ok := r.target.Control.(Switcher)
	if !ok {
		return errors.New("the case needs the capability schedules")
	}
	id, err := r.integer(q.Job)
	if err != nil {
		return err
	}
	switch {
	case q.Start:
		r.note("> start job %d", id)
		err = switcher.Start(ctx, id)
		if s.Refused == "" {
			return err
		}
		if err == nil {
			return fmt.Errorf("the start of job %d is not refused", id)
		}
		r.note("< %v", err)
		return matchText("the refusal", s.Refused, err.Error())
	case q.Stop:
		r.note("> stop job %d", id)
		return switcher.Stop(ctx, id)
	case q.Is == nil:
		return errors.New("the step says nothing of the schedule")
	}
	is, err := switcher.Started(ctx, id)
	if err == nil && is != *q.Is {
		err = fmt.Errorf("that job %d is started is %t, want %t", id, is, *q.Is)
	}
	return err
}

// drain looks at all runs that an executor got.
func (r *round) drain(n int) error {
	path, err := r.words.text("${run-path}")
	if err != nil {
		return err
	}
	if n >= len(r.remotes) {
		return fmt.Errorf("the case has no executor %d", n)
	}
	r.looked[placeOf(n, path)] = len(r.remotes[n].of(path))
	return nil
}

// mostPages bounds the pages of a log: each has a line at least, but for the last.
const mostPages = 100

// logShown reads the log of a run from its first line on and compares the whole.
func (r *round) logShown(ctx context.Context, q *shown) error {
	reader, ok := r.target.Control.(LogReader)
	if !ok {
		return errors.New("the case needs the capability logs")
	}
	id, err := r.integer(q.Log)
	if err != nil {
		return err
	}
	var text strings.Builder
	var page LogPage
	from := 1
	for range mostPages {
		if page, err = reader.Log(ctx, id, from); err != nil {
			return err
		}
		r.note("< log %d from line %d: %q to line %d, end %t", id, from, page.Text, page.To, page.End)
		text.WriteString(page.Text)
		if page.End || page.To < from {
			break
		}
		from = page.To + 1
	}
	want, err := r.words.text(q.Text)
	if err != nil {
		return err
	}
	if text.String() != want || page.End != q.End {
		return fmt.Errorf("the log of %d is %q, its end was reached: %t; want %q, %t", id, text.String(), page.End, want, q.End)
	}
	return nil
}
