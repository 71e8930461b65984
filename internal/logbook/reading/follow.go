package reading

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// followCheck is how often it is asked whether the attempt is over.
	followCheck = time.Second
	// settleFor is how long the rest of a log is waited for when its attempt is over.
	settleFor = 10 * time.Second
)

// Follow calls take with the pages of an attempt's log from a line on, as the lines
// come, until no more will: then the attempt is over and everything was read, or the
// rest did not come within 10 s. over reports whether the attempt has ended; it is
// asked at most once a second. Follow ends with the error of take, or the context's
// cause. An executor that is away for a while does not end it.
func (r *Reader) Follow(
	ctx context.Context, a job.Attempt, group int64, from int,
	over func(context.Context) (bool, error), take func(job.LogPage) error,
) error {
	release := r.config.Memory.Watch(a, group)
	defer release()
	f := following{attempt: a, checked: time.Now(), over: over}
	from = max(from, 1)
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v, err := r.look(ctx, f.attempt)
		if err != nil {
			return err
		}
		page, err := r.read(ctx, &v, from, 0)
		if err != nil && (f.attempt.State.Final() || !absent(err)) {
			return err
		}
		if err == nil && page.To >= from {
			if err := take(page); err != nil {
				return err
			}
			from, f.waiting = page.To+1, time.Time{}
			if !page.End {
				continue
			}
		}
		if page.End {
			return nil
		}
		next, err := f.check(ctx)
		if err != nil || next < 0 {
			return err
		}
		if err := pause(ctx, v.live.Changed, next); err != nil {
			return err
		}
	}
}

// following is what a viewer knows of the attempt.
type following struct {
	attempt job.Attempt
	over    func(context.Context) (bool, error)
	checked time.Time // when over was asked last
	waiting time.Time // since when the rest is waited for
}

// check asks now and then whether the attempt is over. It returns after which time to
// look again; that is below 0 when the rest of the log has been waited for long enough.
func (f *following) check(ctx context.Context) (next time.Duration, err error) {
	now := time.Now()
	switch {
	case f.attempt.State.Final() && f.waiting.IsZero():
		f.waiting = now
	case f.attempt.State.Final() && now.Sub(f.waiting) >= settleFor:
		return -1, nil
	case !f.attempt.State.Final() && now.Sub(f.checked) >= followCheck:
		f.checked = now
		ended, err := f.over(ctx)
		if err != nil {
			return -1, err
		}
		if ended {
			f.attempt.State = job.Succeeded // any final one: nothing is written any more
			return 0, nil
		}
	}
	return followCheck, nil
}
