package jobs

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// SavePause writes a pause, over the one of its key when there is one. It begins now unless
// it has a start. It is Invalid with the field at fault, and when it has ended already.
// With a Version it is Conflict when the pause has another one by now, or was lifted.
func (c *Catalog) SavePause(ctx context.Context, p job.Pause) (jobrows.Pause, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if p.From.IsZero() {
		p.From = now
	}
	p.ID, p.CreatedAt = 0, now
	p.From, p.Until = p.From.UTC().Truncate(time.Millisecond), p.Until.UTC().Truncate(time.Millisecond)
	if err := cmp.Or(job.CheckKey("key", p.Key), jobrows.CheckText("reason", p.Reason)); err != nil {
		return jobrows.Pause{}, err
	}
	if p.Namespace != "" {
		if err := job.CheckKey("namespace", p.Namespace); err != nil {
			return jobrows.Pause{}, err
		}
	}
	if !p.Until.IsZero() && !p.Until.After(now) {
		return jobrows.Pause{}, job.FieldErrorf("until", "%s has passed: name a later end, or none", p.Until.Format(time.RFC3339))
	}
	if _, err := p.Compile(); err != nil {
		return jobrows.Pause{}, err
	}
	saved, err := c.config.Pauses.SavePause(ctx, p)
	if err != nil {
		return jobrows.Pause{}, fmt.Errorf("save pause %s: %w", p.Key, err)
	}
	c.config.Hooks.Scheduled()
	return jobrows.PauseAt(saved, now), nil
}

// DeletePause lifts a pause, or returns NotFound. What it held back is decided on
// by the misfire policies of the jobs.
func (c *Catalog) DeletePause(ctx context.Context, key string) error {
	if err := c.config.Pauses.DeletePause(ctx, key, time.Now().UTC().Truncate(time.Millisecond)); err != nil {
		return fmt.Errorf("lift pause %s: %w", key, err)
	}
	c.config.Hooks.Scheduled()
	return nil
}
