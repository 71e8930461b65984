package jobrows

import (
	"context"
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

// Pause returns a pause, or NotFound.
func (f *Finder) Pause(ctx context.Context, key string) (Pause, error) {
	all, err := f.Pauses(ctx)
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
func (f *Finder) Pauses(ctx context.Context) ([]Pause, error) {
	stored, err := f.sources.Pauses.Pauses(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	all := make([]Pause, len(stored))
	for i := range stored {
		all[i] = PauseAt(stored[i], now)
	}
	return all, nil
}

// PauseAt adds the present state of a pause. One that does not compile holds nothing.
func PauseAt(p job.Pause, now time.Time) Pause {
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

// Holds reports whether the pause is for the job.
func (p *Pause) Holds(j *job.Job) bool {
	return (p.Namespace == "" || p.Namespace == j.Namespace) && (len(p.Groups) == 0 || slices.Contains(p.Groups, j.Group))
}
