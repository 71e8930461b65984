package client_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/explain"
	"github.com/orthd/orth/job"
)

func (m *memory) ExplainRun(ctx context.Context, id int64, _ access.Sight) (explain.Explanation, error) {
	r, err := m.Run(ctx, id)
	return explain.Explanation{
		Question: "Why?", Answer: "Run " + strconv.FormatInt(r.ID, 10) + " is fine.", Zone: time.UTC,
		Answers: []explain.Sentence{{Code: "fine", Text: "It is fine.", Values: map[string]string{"run": "1"}}},
		Facts:   []explain.Fact{{At: instant, Kind: explain.KindRun, Run: r.ID, Sentence: explain.Sentence{Code: "ran", Text: "it ran", Values: map[string]string{"a": "b"}}}},
	}, err
}

// ExplainJob answers with what it was asked.
func (m *memory) ExplainJob(ctx context.Context, namespace, key string, at explain.Moment) (explain.Explanation, error) {
	j, err := m.Job(ctx, namespace, key)
	answer := "now"
	if !at.IsZero() {
		answer = at.At.Format(time.RFC3339) + " or " + at.Wall.Format(time.RFC3339)
	}
	return explain.Explanation{Question: j.Key, Answer: answer, Zone: time.UTC}, err
}

func TestExplanations(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), serve(t, &memory{}, func(c *client.Config) { c.Namespace = "team" })
	job1 := newJob("first")
	if _, err := c.CreateJob(ctx, job1); err != nil {
		t.Fatal(err)
	}
	run, err := c.Trigger(ctx, "first", api.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.ExplainRun(ctx, run.ID)
	want := api.Explanation{
		Question: "Why?", Answer: "Run " + run.ID.String() + " is fine.", Zone: "UTC",
		Answers: []api.Sentence{{Code: "fine", Text: "It is fine.", Values: map[string]string{"run": "1"}}},
		Facts:   []api.Fact{{At: api.At(instant), Kind: "run", RunID: run.ID, Sentence: api.Sentence{Code: "ran", Text: "it ran", Values: map[string]string{"a": "b"}}}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("of a run: %v %s", err, diff)
	}
	for at, want := range map[string]string{
		"":                     "now",
		"2030-01-31T08:00:00Z": "2030-01-31T08:00:00Z or 0001-01-01T00:00:00Z",
		"2030-01-31 02:30":     "0001-01-01T00:00:00Z or 2030-01-31T02:30:00Z",
	} {
		if got, err := c.ExplainJob(ctx, "first", at); err != nil || got.Question != "first" || got.Answer != want {
			t.Errorf("at %q: %+v, %v", at, got, err)
		}
	}
	if _, err := c.ExplainJob(ctx, "first", "soon"); !job.Is(err, job.Invalid) {
		t.Errorf("at no time: %v", err)
	}
	if _, err := c.ExplainJob(ctx, "missing", ""); !job.Is(err, job.NotFound) {
		t.Errorf("of a missing job: %v", err)
	}
	if _, err := c.ExplainRun(ctx, 5); !job.Is(err, job.NotFound) {
		t.Errorf("of a missing run: %v", err)
	}
}
