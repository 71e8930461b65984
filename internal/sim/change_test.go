package sim

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
)

// The jobs that users change: one gets another param time and again, the others are
// stopped and deleted once.
const (
	edited  = "edited"
	stops   = "is-stopped"
	deletes = "is-deleted"
)

// stop is what users did to end a job.
type stop struct {
	asked time.Time          // when they first asked for it
	done  bool               // they were told that it is
	runs  map[int64]struct{} // that there were then
}

// trying notes that a user is about to end a job.
func (j *judge) trying(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stops[key] == nil {
		j.stops[key] = &stop{asked: time.Now()}
	}
}

// mayStand reports whether a user has tried to end the job.
func (j *judge) mayStand(key string) bool { return !j.asked(key).IsZero() }

// asked returns when a user first tried to end the job: what comes later may fire or not, until
// the user is told. The zero time is never.
func (j *judge) asked(key string) time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.stops[key]; s != nil {
		return s.asked
	}
	return time.Time{}
}

// stands notes that a user was told that the job fires no more.
func (j *judge) stands(key string) {
	runs := make(map[int64]struct{})
	for _, r := range j.runs() {
		if r.JobKey == key {
			runs[r.ID] = struct{}{}
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.stops[key]; !s.done {
		s.done, s.runs = true, runs
	}
}

// stopped judges that a job which was ended has not fired again.
func (j *judge) stopped(byJob map[int64][]job.Run) {
	for key, s := range j.stops {
		if !s.done {
			continue
		}
		for _, r := range byJob[j.w.byKey[key]] {
			if _, known := s.runs[r.ID]; !known {
				j.fault("I2: job %s was ended by a user, and then there was run %d for %s", key, r.ID, r.PlannedAt)
			}
		}
		made, err := j.w.store.Job(context.Background(), job.DefaultNamespace, key)
		if err == nil && made.Enabled || err != nil && !job.Is(err, job.NotFound) {
			j.fault("I2: job %s was ended by a user, and is started: %v", key, err)
		}
	}
}

// edit gives a job another param.
func (u *users) edit(ctx context.Context, c *jobs.Catalog) {
	param := task(50+u.dice.below(1500), u.dice.below(30))
	made, err := c.UpdateJob(ctx, job.DefaultNamespace, edited, 0, func(j job.Job) (job.Job, error) {
		j.Param = param
		return j, nil
	})
	u.w.trace.note("users: change job %s to version %d: %v", edited, made.Version, err)
}

// halt ends a job for good, unless that is done.
func (u *users) halt(ctx context.Context, c *jobs.Catalog) {
	key := []string{stops, deletes}[u.dice.below(2)]
	if _, made := u.w.byKey[key]; !made || u.halted[key] {
		return
	}
	u.w.judge.trying(key)
	var err error
	if key == stops {
		_, err = c.StopJob(ctx, job.DefaultNamespace, key)
	} else if err = c.DeleteJob(ctx, job.DefaultNamespace, key); job.Is(err, job.NotFound) {
		err = nil // an earlier try did it
	}
	u.w.trace.note("users: end job %s: %v", key, err)
	if err == nil {
		u.halted[key] = true
		u.w.judge.stands(key)
	}
}
