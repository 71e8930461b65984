package jobs

import (
	"context"
	"testing"
	"time"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// endsMeanwhile is a store in which the planner takes the last firing of a job just
// before the first change of it is written, under the version that the job has.
type endsMeanwhile struct {
	*jobstest.World
	ended bool
}

func (s *endsMeanwhile) SaveJob(ctx context.Context, j job.Job, reason string) (job.Job, error) {
	if !s.ended {
		s.ended = true
		known := s.JobsByKey[j.Key]
		known.Enabled, known.NextAt = false, time.Time{}
		s.JobsByKey[j.Key] = known
	}
	if j.Enabled && !s.JobsByKey[j.Key].Enabled {
		return job.Job{}, job.Errorf(job.Conflict, "job %s had its last firing meanwhile", j.Key)
	}
	return s.World.SaveJob(ctx, j, reason)
}

func TestUpdateOfAJobThatEnds(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	create(t, c, started())
	c.config.Writer = &endsMeanwhile{World: w}
	got := update(t, c, "report", func(j *job.Job) { j.Title = "new" })
	if got.Enabled || got.Title != "new" || !got.NextAt.IsZero() {
		t.Errorf("it is started again: %+v", got)
	}
}

// A job whose last firing is planned and has not come is started to its users: another
// schedule goes on from there. One that has ended, or was stopped, stays so.
func TestRescheduleBeforeTheLastFiring(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		alter  func(j *job.Job)
		change func(j *job.Job)
		want   bool
	}{
		"to come":                 {func(*job.Job) {}, func(j *job.Job) { j.Schedule.Every = time.Hour }, true},
		"another title":           {func(*job.Job) {}, func(j *job.Job) { j.Title = "new" }, false},
		"a schedule that is over": {func(*job.Job) {}, func(j *job.Job) { j.Schedule.End = time.Now().Add(-time.Hour) }, false},
		"by hand":                 {func(*job.Job) {}, func(j *job.Job) { j.Schedule = schedule.Spec{Kind: schedule.KindManual} }, false},
		"has come":                {func(j *job.Job) { j.LastAt = time.Now().Add(-time.Second) }, func(j *job.Job) { j.Schedule.Every = time.Hour }, false},
		"stopped by a user":       {func(j *job.Job) { j.StopReason = "" }, func(j *job.Job) { j.Schedule.Every = time.Hour }, false},
		"stopped by its failures": {func(j *job.Job) { j.StopAfter, j.Failures = 2, 2 }, func(j *job.Job) { j.Schedule.Every = time.Hour }, false},
	} {
		w, c := newWorld()
		j := create(t, c, started())
		j.Enabled, j.NextAt, j.LastAt, j.StopReason = false, time.Time{}, time.Now().Add(time.Second), "its schedule has no further firing"
		test.alter(&j)
		w.JobsByKey[j.Key] = j
		got := update(t, c, j.Key, test.change)
		if got.Enabled != test.want || got.NextAt.IsZero() == test.want {
			t.Errorf("%s: enabled %t, next firing %s", name, got.Enabled, got.NextAt)
		}
	}
}
