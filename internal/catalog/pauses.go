package catalog

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

// Pause is a pause with what it does at the moment.
type Pause struct {
	job.Pause
	// Active is set while it holds jobs back, EndsAt until when; zero means until it is
	// lifted.
	Active bool
	EndsAt time.Time
	// BeginsAt is when a pause that is not active begins next; zero when it
	// does not.
	BeginsAt time.Time
}

// SavePause writes a pause, over the one of its key when there is one. It begins now unless
// it has a start. It is Invalid with the field at fault, and when it has ended already.
// With a Version it is Conflict when the pause has another one by now, or was lifted.
func (c *Catalog) SavePause(ctx context.Context, p job.Pause) (Pause, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if p.From.IsZero() {
		p.From = now
	}
	p.ID, p.CreatedAt = 0, now
	p.From, p.Until = p.From.UTC().Truncate(time.Millisecond), p.Until.UTC().Truncate(time.Millisecond)
	if err := first(job.CheckKey("key", p.Key), checkText("reason", p.Reason)); err != nil {
		return Pause{}, err
	}
	if p.Namespace != "" {
		if err := job.CheckKey("namespace", p.Namespace); err != nil {
			return Pause{}, err
		}
	}
	if !p.Until.IsZero() && !p.Until.After(now) {
		return Pause{}, job.FieldErrorf("until", "%s has passed: name a later end, or none", p.Until.Format(time.RFC3339))
	}
	if _, err := p.Compile(); err != nil {
		return Pause{}, err
	}
	saved, err := c.config.Pauses.SavePause(ctx, p)
	if err != nil {
		return Pause{}, fmt.Errorf("save pause %s: %w", p.Key, err)
	}
	c.config.Hooks.Scheduled()
	return present(saved, now), nil
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

// Pause returns a pause, or NotFound.
func (c *Catalog) Pause(ctx context.Context, key string) (Pause, error) {
	all, err := c.Pauses(ctx)
	if err != nil {
		return Pause{}, err
	}
	i := slices.IndexFunc(all, func(p Pause) bool { return p.Key == key })
	if i < 0 {
		return Pause{}, job.Errorf(job.NotFound, "there is no pause %q", key)
	}
	return all[i], nil
}

// Pauses returns all pauses in order of key.
func (c *Catalog) Pauses(ctx context.Context) ([]Pause, error) {
	stored, err := c.config.Pauses.Pauses(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	all := make([]Pause, len(stored))
	for i := range stored {
		all[i] = present(stored[i], now)
	}
	return all, nil
}

// present adds the present state of a pause. One that does not compile holds nothing.
func present(p job.Pause, now time.Time) Pause {
	shown := Pause{Pause: p}
	hold, err := p.Compile()
	if err != nil {
		return shown
	}
	if shown.EndsAt, shown.Active = hold.At(now); !shown.Active {
		shown.EndsAt = time.Time{}
		shown.BeginsAt, _ = hold.Next(now)
	}
	return shown
}

// holds reports whether the pause is for the job.
func (p *Pause) holds(j *job.Job) bool {
	return (p.Namespace == "" || p.Namespace == j.Namespace) && (len(p.Groups) == 0 || slices.Contains(p.Groups, j.Group))
}
