package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

// Stats answers with a run on the first and on the last day it was asked about.
func (m *memory) Stats(_ context.Context, q queries.StatsQuery) ([]job.Stats, error) {
	switch {
	case q.Job == "missing":
		return nil, job.Errorf(job.NotFound, "there is no job %q", q.Job)
	case q.Job != "":
		return []job.Stats{{Day: q.From, Succeeded: int64(len(q.Job))}, {Day: q.To, Lost: int64(len(q.Namespace))}}, nil
	}
	return []job.Stats{{Day: job.DayOf(instant), Failed: int64(len(q.Group)), Attempts: 2, Timed: 2, Took: 3 * time.Second}}, nil
}

func TestStats(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := serve(t, &memory{}, func(c *client.Config) { c.Namespace = "team" })
	got, err := c.Stats(ctx, client.StatsQuery{Job: "report", From: instant.AddDate(0, 0, -1), To: instant})
	rate := 0.6
	want := api.Stats{
		From: "2030-01-30", To: "2030-01-31",
		Days: []api.DayStats{
			{Day: "2030-01-30", Figures: api.Figures{Runs: 6, Succeeded: 6, SuccessRate: new(1.0)}},
			{Day: "2030-01-31", Figures: api.Figures{Runs: 4, Lost: 4, SuccessRate: new(0.0)}},
		},
		Total: api.Figures{Runs: 10, Succeeded: 6, Lost: 4, SuccessRate: &rate},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("of a job: %v %s", err, diff)
	}
	got, err = c.Stats(ctx, client.StatsQuery{Group: "desk"})
	if err != nil || len(got.Days) != 1 || got.Total.Failed != 4 || got.Total.MeanTook != api.Duration(1500*time.Millisecond) {
		t.Errorf("of a group: %+v, %v", got, err)
	}
	if _, err := c.Stats(ctx, client.StatsQuery{Job: "missing"}); !job.Is(err, job.NotFound) {
		t.Errorf("of a missing job: %v", err)
	}
}
