package jobs

import (
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// enable starts the job at now: its next firing is the first one after now, or
// now itself for a fixed delay.
func enable(j *job.Job, now time.Time, known jobrows.Calendars) error {
	if j.Schedule.Kind == schedule.KindManual {
		return job.FieldErrorf("schedule", "a job with a manual schedule never fires by itself, so it cannot be started; trigger it")
	}
	if err := aim(j, now, known); err != nil {
		return err
	}
	if j.StopReason != "" {
		j.Fired = 0
	}
	j.Enabled = true
	j.StopReason, j.HeldBy, j.Failures = "", "", 0
	return nil
}

// aim sets the next firing of a job that goes by its schedule from now on.
func aim(j *job.Job, now time.Time, known jobrows.Calendars) error {
	jobrows.SetStart(&j.Schedule, now)
	s, err := j.Schedule.CompileWith(known.Find)
	if err != nil {
		return jobrows.ScheduleError("schedule.", err)
	}
	next, ok := begin(&j.Schedule, s, now)
	if !ok {
		wrong := job.FieldErrorf("schedule", "%s has no firing after %s", j.Schedule, now.Format(time.RFC3339))
		wrong.Hint = "its time is over, or its calendars leave no day: give it another schedule"
		return wrong
	}
	j.NextAt = next
	return nil
}

// begin returns the first firing of a job that is started at now, and false when
// there is none. A fixed delay begins at once.
func begin(spec *schedule.Spec, s schedule.Schedule, now time.Time) (time.Time, bool) {
	if spec.Kind == schedule.KindAfter {
		return schedule.First(s, now)
	}
	return s.Next(now)
}
