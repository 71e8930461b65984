package jobs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// UpdateJob changes a job: edit gets the present job and returns the changed one. It must
// not modify the contents of its argument's slices and maps, and may be called several
// times. It cannot change the fields that the server keeps itself: the id, whether the job
// is enabled, its counters and instants. Fields that the edit empties get their default
// again.
//
// An enabled job whose schedule changes fires by the new one from now on, and starts to
// count its runs again. An edit that changes nothing keeps the version. Kinds: those of
// CreateJob, NotFound; Conflict too when version is not 0 and the job has another one.
func (c *Catalog) UpdateJob(
	ctx context.Context, namespace, key string, version int64, edit func(job.Job) (job.Job, error),
) (job.Job, error) {
	var rescheduled, moved bool
	saved, err := c.change(ctx, namespace, key, func(j *job.Job, now time.Time) (string, error) {
		if version != 0 && j.Version != version {
			wrong := job.Errorf(job.Conflict, "job %s has version %d by now, and the change was made for version %d", key, j.Version, version)
			wrong.Hint = "look at the job as it stands, and change that"
			return "", wrong
		}
		was := *j
		shown := was
		shown.Schedule = jobrows.SpellOut(was.Schedule)
		wanted, err := edit(shown)
		if err != nil {
			return "", err
		}
		*j = wanted
		if err := c.revise(ctx, j, &was, &shown, now); err != nil {
			return "", err
		}
		if sameText(*j, was) {
			*j, rescheduled, moved = was, false, false
			return "", errUnchanged
		}
		rescheduled, moved = !sameText(j.Schedule, was.Schedule), j.Group != was.Group
		return "", nil
	})
	if err != nil {
		return job.Job{}, err
	}
	if rescheduled && saved.Enabled {
		c.config.Hooks.Scheduled()
	}
	if moved {
		c.config.Hooks.Ready(saved.UpdatedAt)
	}
	return saved, nil
}

// revise makes j, which a user wants in the place of was, fit to be written.
// shown is what the user was shown of it.
func (c *Catalog) revise(ctx context.Context, j, was, shown *job.Job, now time.Time) error {
	keep(j, was)
	if j.Overlap != was.Overlap && j.Overlap != job.OverlapConcurrent && j.Concurrency == was.Concurrency {
		j.Concurrency = 0 // it belonged to the overlap before
	}
	if j.Route != was.Route && j.Route != job.RouteBroadcast && j.Shards == was.Shards {
		j.Shards = 0 // they belonged to the route before
	}
	if err := c.inherit(ctx, j, was); err != nil {
		return err
	}
	recode(j, was, now)
	defaults(j, now)
	if j.Namespace != was.Namespace {
		return job.FieldErrorf("namespace", "job %s stays in namespace %s: create it anew in %s", was.Key, was.Namespace, j.Namespace)
	}
	if err := cmp.Or(check(j), c.checkCycle(ctx, j), jobrows.CheckMisfireLimits(j.MisfireLimits), c.config.Secrets.CheckJob(ctx, j, was)); err != nil {
		return err
	}
	if j.Schedule.Jitter > 0 && was.Schedule.Seed != 0 {
		j.Schedule.Seed = was.Schedule.Seed // also under a new key
	}
	if sameText(j.Schedule, shown.Schedule) {
		j.Schedule = was.Schedule
		return nil
	}
	return c.reschedule(ctx, j, was, now)
}

// keep gives j what its user does not decide.
func keep(j, was *job.Job) {
	j.ID, j.GroupID, j.Version, j.Enabled = was.ID, was.GroupID, was.Version, was.Enabled
	j.StopReason, j.HeldBy, j.Fired, j.Failures = was.StopReason, was.HeldBy, was.Fired, was.Failures
	j.NextAt, j.LastAt, j.CreatedAt, j.UpdatedAt = was.NextAt, was.LastAt, was.CreatedAt, was.UpdatedAt
}

// recode gives a script that has changed a later instant than it had: executors
// keep what they have made of a script by it.
func recode(j, was *job.Job, now time.Time) {
	switch {
	case j.Template != 0: // its code comes with its instant
	case sameCode(j.Handler, was.Handler):
		j.Handler.SourceAt = was.Handler.SourceAt
	case j.Handler.Kind.Script() && j.Handler.SourceAt.IsZero():
		j.Handler.SourceAt = now
		if before := was.Handler.SourceAt; !now.After(before) {
			j.Handler.SourceAt = before.Add(time.Millisecond)
		}
	}
}

// reschedule checks the new schedule of j, and finds the next firing of a job
// that is started, or whose last firing is still to come: the new schedule takes its
// place.
func (c *Catalog) reschedule(ctx context.Context, j, was *job.Job, now time.Time) error {
	s := &j.Schedule
	if s.Delay != 0 && s.At.Equal(was.Schedule.At) {
		s.At = time.Time{} // an earlier start has set it
	}
	if err := jobrows.CheckNewOnce(s); err != nil {
		return err
	}
	known, err := c.CalendarsOf(ctx, j.Namespace, s)
	if err != nil {
		return err
	}
	if err := jobrows.CheckSchedule(s, known); err != nil {
		return err
	}
	if !j.Enabled {
		if lastToCome(was, now) && s.Kind != schedule.KindManual && aim(j, now, known) == nil {
			j.Enabled = true
		}
		return nil
	}
	if s.Kind == schedule.KindManual {
		wrong := job.FieldErrorf("schedule", "job %s is started, and with a manual schedule it would never fire", was.Key)
		wrong.Hint = "stop the job first"
		return wrong
	}
	return aim(j, now, known)
}

// lastToCome reports whether a job is over only because its last firing is planned, and
// that has not come: to its users it is started.
func lastToCome(j *job.Job, now time.Time) bool {
	failed := j.StopAfter > 0 && j.Failures >= j.StopAfter
	return !j.Enabled && j.StopReason != "" && j.LastAt.After(now) && !failed
}

// sameText reports whether two values are written the same way.
func sameText[T any](a, b T) bool {
	first, err := json.Marshal(a)
	second, other := json.Marshal(b)
	return err == nil && other == nil && bytes.Equal(first, second)
}
