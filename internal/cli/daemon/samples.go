package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

// sampleGroup is the group of the executor of `orth dev`.
const sampleGroup = "samples"

// handleSamples registers the Go handlers of the samples.
func handleSamples(e *executor.Executor) {
	e.Handle("greet", func(_ context.Context, t *handler.Task) error {
		name := t.Param
		if name == "" {
			name = "world"
		}
		slot := "no slot of the schedule"
		if !t.PlannedAt.IsZero() {
			slot = t.PlannedAt.Format(time.RFC3339)
		}
		t.Log("greeting %s, planned for %s", name, slot)
		t.Result("hello " + name)
		return nil
	})
	e.Handle("flaky", func(_ context.Context, t *handler.Task) error {
		// The first attempt of each run fails, to demonstrate retries.
		if t.Try < 2 {
			t.Log("attempt %d fails on purpose", t.AttemptID)
			return fmt.Errorf("attempt %d failed on purpose", t.AttemptID)
		}
		t.Result("succeeded after a retry")
		return nil
	})
}

// sampleCalendar is the calendar of a sample. It allows weekends, so that the sample runs
// on most days.
const sampleCalendar = "cn-holidays"

// samples are one job per kind of schedule, and a few for other features. Together they
// create about twenty runs a minute.
func samples() []job.Job {
	echo := func(text string) job.Handler {
		return job.Handler{Kind: job.HandlerShell, Source: "echo \"" + text + "\"\n"}
	}
	return []job.Job{
		{
			Key: "sample-shell", Title: "cron: a shell script every 15 seconds",
			Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "0/15 * * * * ?"},
			Handler: job.Handler{Kind: job.HandlerShell, Source: `echo "planned for $ORTH_JOB_SCHEDULE_TIME"
echo "running on $(uname -s), attempt $ORTH_JOB_LOG_ID"
`},
		},
		{
			Key: "sample-go", Title: "every: a Go function at a fixed rate of 10 seconds", Param: "world",
			Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: 10 * time.Second},
			Handler:  job.Handler{Kind: job.HandlerNamed, Name: "greet"},
		},
		{
			Key: "sample-after", Title: "after: 20 seconds after the end of each run",
			Schedule: schedule.Spec{Kind: schedule.KindAfter, After: 20 * time.Second},
			Handler:  job.Handler{Kind: job.HandlerShell, Source: "echo working\nsleep 3\necho done\n"},
		},
		{
			Key: "sample-daily", Title: "daily: every minute within a daily window",
			Schedule: schedule.Spec{Kind: schedule.KindDaily, Daily: "00:00-24:00 every 1m"},
			Handler:  echo("within the window"),
		},
		{
			Key: "sample-once", Title: "once: 15 seconds after it is enabled",
			Schedule: schedule.Spec{Kind: schedule.KindOnce, Delay: 15 * time.Second},
			Handler:  echo("this was the only firing"),
		},
		{
			Key: "sample-retry", Title: "several: two schedules in one; fails and is retried",
			Schedule: schedule.Spec{Kind: schedule.KindSeveral, Of: []schedule.Spec{
				{Kind: schedule.KindEvery, Every: 20 * time.Second},
				{Kind: schedule.KindCron, Cron: "5 * * * * ?"},
			}},
			Handler: job.Handler{Kind: job.HandlerNamed, Name: "flaky"},
			Retry:   retry.Policy{Tries: 3, Initial: time.Second, Multiplier: 2, Max: 5 * time.Second, Jitter: 0.1},
		},
		{
			Key: "sample-manual", Title: "manual: only when triggered",
			Handler: echo("triggered"),
		},
		{
			Key: "sample-calendar", Title: "calendar and jitter: every minute except on Chinese holidays, delayed by up to 20 seconds",
			Schedule: schedule.Spec{
				Kind: schedule.KindCron, Cron: "0 * * * * ?", Zone: "Asia/Shanghai", Calendars: []string{sampleCalendar}, Jitter: 20 * time.Second,
			},
			Handler: echo("not a holiday"),
		},
		{
			Key: "sample-stop", Title: "stop after failures: always fails, disabled after three runs",
			Schedule:  schedule.Spec{Kind: schedule.KindEvery, Every: 15 * time.Second},
			Handler:   job.Handler{Kind: job.HandlerShell, Source: "echo failing on purpose\nexit 1\n"},
			StopAfter: 3,
		},
	}
}

// createSamples creates the missing calendar and sample jobs.
func createSamples(ctx context.Context, c *jobs.Catalog) error {
	if err := createSampleCalendar(ctx, c); err != nil {
		return fmt.Errorf("create the sample calendar %s: %w", sampleCalendar, err)
	}
	for _, j := range samples() {
		j.Group, j.Enabled = sampleGroup, j.Schedule.Kind != ""
		if _, err := c.CreateJob(ctx, j); err != nil && !job.Is(err, job.Conflict) {
			return fmt.Errorf("create the sample job %s: %w", j.Key, err)
		}
	}
	return nil
}

// createSampleCalendar creates the calendar unless its key exists.
func createSampleCalendar(ctx context.Context, c *jobs.Catalog) error {
	_, err := c.Calendar(ctx, "", sampleCalendar)
	if !job.Is(err, job.NotFound) {
		return err
	}
	_, _, err = c.ImportCalendar(ctx, job.Calendar{Key: sampleCalendar, Title: "China's holidays, without weekends"},
		jobs.Import{Shipped: "cn"})
	return err
}
