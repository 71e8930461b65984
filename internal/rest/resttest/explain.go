package resttest

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/explain"
)

// ExplainRun implements Explanations.
func (f *Fake) ExplainRun(_ context.Context, id int64, _ access.Sight) (explain.Explanation, error) {
	return anExplanation(), f.Note("explain run %d", id)
}

// ExplainJob implements Explanations.
func (f *Fake) ExplainJob(_ context.Context, namespace, key string, at explain.Moment) (explain.Explanation, error) {
	return anExplanation(), f.Note("explain job %s/%s at %s or %s", namespace, key, at.At.Format(time.RFC3339), at.Wall.Format(time.RFC3339))
}

func anExplanation() explain.Explanation {
	return explain.Explanation{
		Question: "Why?", Answer: "Because.", Answers: []explain.Sentence{{Code: "because", Text: "Because."}}, Zone: time.UTC,
		Facts: []explain.Fact{
			{Kind: explain.KindStarted, Sentence: explain.Sentence{Code: "started", Text: "it is started"}},
			{At: Instant, Kind: explain.KindRun, Run: 5, Sentence: explain.Sentence{Code: "run", Text: "run 5 failed", Values: map[string]string{"run": "5"}}},
		},
	}
}
