package explain

import (
	"testing"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func night() job.Pause {
	return job.Pause{Key: "night", Reason: "backups", From: instant("2026-05-06T00:00:00Z"), Until: instant("2026-05-08T00:00:00Z"), CreatedAt: instant("2026-05-01T00:00:00Z")}
}

func TestJob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		alter  func(*JobSnapshot)
		answer string
	}{
		{"started", func(s *JobSnapshot) {
			over, failed, running := firing(job.Succeeded).Run, firing(job.Failed).Run, firing(job.Running).Run
			failed.ID, failed.Message, running.ID = 11, "boom", 13
			s.Newest = []job.Run{running, over, failed}
		}, "Job report fires next at 2026-05-07 02:30:00 +02:00, in 12h30m."},
		{
			"stopped by a user", func(s *JobSnapshot) { s.Job.Enabled, s.Job.NextAt = false, time.Time{} },
			"Job report fires nothing: it is stopped.",
		},
		{
			"never started", func(s *JobSnapshot) { s.Job.Enabled, s.Job.NextAt, s.Job.LastAt = false, time.Time{}, time.Time{} },
			"Job report fires nothing: it is not started, and has not planned anything yet.",
		},
		{"stopped by itself", func(s *JobSnapshot) {
			s.Job.Enabled, s.Job.NextAt, s.Job.StopReason = false, time.Time{}, "its schedule has made its 3 runs"
			s.Job.Schedule.Count, s.Job.Fired = 3, 3
		}, "Job report fires nothing: it has stopped by itself: its schedule has made its 3 runs."},
		{"manual", func(s *JobSnapshot) {
			s.Job.Schedule, s.Job.Enabled, s.Job.NextAt = schedule.Spec{Kind: schedule.KindManual}, false, time.Time{}
		}, "Job report never fires by itself: its schedule is manual, it runs when it is triggered."},
		{
			"held until a time", func(s *JobSnapshot) { s.Pauses = []job.Pause{night()} },
			"Job report would fire next at 2026-05-07 02:30:00 +02:00, in 12h30m, but pause night holds it back until 2026-05-08 02:00:00 +02:00: backups.",
		},
		{"held now", func(s *JobSnapshot) {
			open := night()
			open.Key, open.Until, open.Reason = "stop", time.Time{}, ""
			s.Pauses, s.Job.NextAt, s.Job.HeldBy = []job.Pause{night(), open}, slot, "stop"
		}, "Job report was due at 2026-05-06 02:30:00 +02:00, and pause stop holds it back until it is lifted."},
		{"fixed delay", func(s *JobSnapshot) {
			s.Job.Schedule, s.Job.NextAt = schedule.Spec{Kind: schedule.KindAfter, After: 10 * time.Minute}, time.Time{}
		}, "Job report waits for the end of its run: it fires 10m after that."},
		{
			"planner is behind", func(s *JobSnapshot) { s.Job.NextAt = now.Add(-time.Minute) },
			"Job report was due at 2026-05-06 13:59:00 +02:00, 1m ago, and no server has planned it yet: look at the log of the planner.",
		},
		{"runs wait", func(s *JobSnapshot) {
			one, two, later := firing(job.Queued).Run, firing(job.Planned).Run, firing(job.Planned).Run
			one.Reason, one.ID, later.DueAt = "no executor of group reports is alive", 11, now.Add(time.Hour)
			s.Newest, s.Executors = []job.Run{later, two, one}, nil
		}, "Job report fires next at 2026-05-07 02:30:00 +02:00, in 12h30m. Of its newest runs 2 are due and wait; the oldest, run 11: " +
			"no executor of group reports is alive. No executor of its group reports is alive, so its runs wait."},
		{"calendar", func(s *JobSnapshot) {
			s.Job.Schedule.Calendars, s.Calendars = []string{"works"}, []job.Calendar{works()}
			s.Calendars[0].Rules.Dates[0].Date.Day = 7
			s.Job.NextAt = instant("2026-05-08T00:30:00Z")
		}, "Job report fires next at 2026-05-08 02:30:00 +02:00, in 36h30m."},
		{
			"calendar is gone", func(s *JobSnapshot) { s.Job.Schedule.Calendars = []string{"works"} },
			"Job report fires next at 2026-05-07 02:30:00 +02:00, in 12h30m.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := JobSnapshot{Job: report(), Executors: alive()}
			c.alter(&s)
			e := Job(s, now)
			if e.Answer != c.answer {
				t.Errorf("answer\n%s\nwant\n%s", e.Answer, c.answer)
			}
			golden(t, "job-"+c.name, e)
		})
	}
}

// Of many runs few are told: those that are not over, and the newest.
func TestJobOfManyRuns(t *testing.T) {
	t.Parallel()
	s := JobSnapshot{Job: report(), Executors: make([]job.Executor, 9)}
	for i := range 50 {
		r := firing(job.Succeeded).Run
		if i%2 == 0 {
			r = firing(job.Running).Run
		}
		r.ID = int64(100 - i)
		s.Newest = append(s.Newest, r)
	}
	e := Job(s, now)
	sound(t, e)
	told := map[bool]int{}
	for _, f := range e.Facts {
		if f.Kind == KindRun {
			told[f.Run%2 == 0]++
			if f.Run <= 100-2*shownOpen {
				t.Errorf("an old run is told: %d", f.Run)
			}
		}
	}
	if told[true] != shownOpen || told[false] != shownOver {
		t.Errorf("told are %v runs", told)
	}
}
