package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/catalog"
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
		t.Log("greeting %s, planned for %s", name, t.PlannedAt.Format(time.RFC3339))
		t.Result("hello " + name)
		return nil
	})
	e.Handle("flaky", func(_ context.Context, t *handler.Task) error {
		// Two attempts of three fail, so that retries can be watched.
		if t.AttemptID%3 != 0 {
			t.Log("attempt %d fails on purpose", t.AttemptID)
			return fmt.Errorf("attempt %d failed on purpose", t.AttemptID)
		}
		t.Result("worked at last")
		return nil
	})
}

func samples() []job.Job {
	return []job.Job{
		{
			Key: "sample-shell", Title: "A shell script every 5 seconds",
			Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "0/5 * * * * ?"},
			Handler: job.Handler{Kind: job.HandlerShell, Source: `echo "planned for $ORTH_JOB_SCHEDULE_TIME"
echo "running on $(uname -s), attempt $ORTH_JOB_LOG_ID"
`},
		},
		{
			Key: "sample-go", Title: "A Go function every 10 seconds", Param: "world",
			Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: 10 * time.Second},
			Handler:  job.Handler{Kind: job.HandlerNamed, Name: "greet"},
		},
		{
			Key: "sample-retry", Title: "Fails, and is tried again",
			Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: 15 * time.Second},
			Handler:  job.Handler{Kind: job.HandlerNamed, Name: "flaky"},
			Retry:    retry.Policy{Tries: 3, Initial: time.Second, Multiplier: 2, Max: 5 * time.Second, Jitter: 0.1},
		},
	}
}

// createSamples makes the sample jobs that do not exist yet.
func createSamples(ctx context.Context, c *catalog.Catalog) error {
	for _, j := range samples() {
		j.Group, j.Enabled = sampleGroup, true
		if _, err := c.CreateJob(ctx, j); err != nil && !job.Is(err, job.Conflict) {
			return fmt.Errorf("create the sample job %s: %w", j.Key, err)
		}
	}
	return nil
}
