package catalog

import (
	"context"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// endsMeanwhile is a store in which the planner takes the last firing of a job just
// before the first change of it is written, under the version that the job has.
type endsMeanwhile struct {
	*world
	ended bool
}

func (s *endsMeanwhile) SaveJob(ctx context.Context, j job.Job, reason string) (job.Job, error) {
	if !s.ended {
		s.ended = true
		known := s.jobs[j.Key]
		known.Enabled, known.NextAt = false, time.Time{}
		s.jobs[j.Key] = known
	}
	if j.Enabled && !s.jobs[j.Key].Enabled {
		return job.Job{}, job.Errorf(job.Conflict, "job %s had its last firing meanwhile", j.Key)
	}
	return s.world.SaveJob(ctx, j, reason)
}

func TestUpdateOfAJobThatEnds(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, started())
	c.config.Writer = &endsMeanwhile{world: w}
	got := update(t, c, "report", func(j *job.Job) { j.Title = "new" })
	if got.Enabled || got.Title != "new" || !got.NextAt.IsZero() {
		t.Errorf("it is started again: %+v", got)
	}
}
