package queries

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/job"
)

// followPause is how often a run without an attempt to follow is looked at.
const followPause = 250 * time.Millisecond

// LogFollow selects the log to follow: a run from a line of an attempt on.
type LogFollow struct {
	Attempt int // the number of the attempt; 0 is the one that there is, or the first
	From    int // the first line of it; less than 1 means 1
	// Only is set when further attempts are not followed.
	Only bool
}

// LogViewer receives a followed log. An error ends it.
type LogViewer interface {
	// Begin receives the attempt of the lines that follow.
	Begin(a job.Attempt) error
	// Lines brings lines of it.
	Lines(p job.LogPage) error
	// End receives the final run after the last line.
	End(r job.Run) error
}

// FollowLog shows the log of a run to a viewer as it is written, attempt by attempt,
// until the run is over and everything was read. It waits for the first attempt.
func (c *Catalog) FollowLog(ctx context.Context, run int64, f LogFollow, viewer LogViewer) error {
	from := max(f.From, 1)
	for {
		r, err := c.Run(ctx, run)
		if err != nil {
			return err
		}
		number := f.Attempt
		if number == 0 {
			number = max(r.Tries, 1)
		}
		if r.AttemptID == 0 || number > r.Tries && !f.Only {
			if r.State.Final() {
				return viewer.End(r)
			}
			if err := wait(ctx, followPause); err != nil {
				return err
			}
			continue
		}
		a, err := c.AttemptOf(ctx, r, number)
		if err != nil {
			return err
		}
		if err := c.showAttempt(ctx, &r, a, from, viewer); err != nil {
			return err
		}
		if f.Only || a.Broadcast() {
			if r, err = c.Run(ctx, run); err != nil {
				return err
			}
			return viewer.End(r)
		}
		f.Attempt, from = number+1, 1
	}
}

// showAttempt shows the log of one attempt.
func (c *Catalog) showAttempt(ctx context.Context, r *job.Run, a job.Attempt, from int, viewer LogViewer) error {
	if err := viewer.Begin(a); err != nil {
		return err
	}
	if a.Broadcast() {
		if from > 1 {
			return nil
		}
		return viewer.Lines(signpost(r, 1))
	}
	over := func(ctx context.Context) (bool, error) {
		attempts, err := c.config.RunReader.Attempts(ctx, a.RunID)
		if err != nil {
			return false, err
		}
		for i := range attempts {
			if attempts[i].ID == a.ID {
				return attempts[i].State.Final(), nil
			}
		}
		return true, nil // its rows were removed
	}
	if err := c.config.Logs.Follow(ctx, a, r.GroupID, from, over, viewer.Lines); err != nil {
		return fmt.Errorf("follow the log of run %d, which ran on executor %s: %w", r.ID, a.Address, err)
	}
	return nil
}

// wait returns after a while, or with the cause of the context's end.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
