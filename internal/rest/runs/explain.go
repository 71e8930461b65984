package runs

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/explain"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

type jobQuestion struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	At        string `query:"at" maxLength:"64" example:"2030-01-31 02:00" doc:"The time in question: an instant such as 2030-01-31T02:00:00Z, or a time such as 2030-01-31 02:00 on the clock of the job's zone, also one that the clock skips. Without it: what the job does now."`
}

type explanation struct{ Body api.Explanation }

func (s *runRoom) registerExplanations() {
	guard.Register(s.Guard, guard.Op{
		ID: "explain-run", Method: http.MethodGet, Path: "/runs/{id}/explanation", Tags: []string{guard.TagRuns},
		Right: access.View, Scope: guard.OnRun, Class: guard.Reading,
		Summary: "Explain why a run exists, its course and its next step",
	}, s.explainRun)
	guard.Register(s.Guard, guard.Op{
		ID: "explain-job", Method: http.MethodGet, Path: "/jobs/{key}/explanation", Tags: []string{guard.TagJobs},
		Right: access.View, Scope: guard.OnJob, Class: guard.Reading,
		Summary: "Explain why a job did, did not or will run at a time, or its present state",
	}, s.explainJob)
}

func (s *runRoom) explainRun(ctx context.Context, in *guard.RunPath) (*explanation, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	return replyExplanation(s.config.Explanations.ExplainRun(ctx, id, s.Sight(ctx, access.View)))
}

func (s *runRoom) explainJob(ctx context.Context, in *jobQuestion) (*explanation, error) {
	at, err := parseMoment("at", in.At)
	if err != nil {
		return nil, err
	}
	return replyExplanation(s.config.Explanations.ExplainJob(ctx, in.Namespace, in.Key, at))
}

// parseMoment reads an instant, or a time on a clock; empty is the zero moment.
func parseMoment(field, text string) (explain.Moment, error) {
	if text == "" {
		return explain.Moment{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		if m := (explain.Moment{At: at.UTC().Truncate(time.Millisecond)}); !m.IsZero() {
			return m, nil
		}
	}
	for _, layout := range [...]string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if wall, err := time.Parse(layout, text); err == nil {
			if m := (explain.Moment{Wall: wall.Truncate(time.Millisecond)}); !m.IsZero() {
				return m, nil
			}
		}
	}
	return explain.Moment{}, job.FieldErrorf(field,
		"%q is no time: write an instant such as 2030-01-31T02:00:00Z, or 2030-01-31 02:00 for the clock of the job's zone", text)
}

func replyExplanation(e explain.Explanation, err error) (*explanation, error) {
	if err != nil {
		return nil, err
	}
	shown := api.Explanation{Question: e.Question, Answer: e.Answer, Zone: e.Zone.String(), Answers: make([]api.Sentence, len(e.Answers)), Facts: make([]api.Fact, len(e.Facts))}
	for i, f := range e.Facts {
		shown.Facts[i] = api.Fact{At: api.At(f.At), Kind: string(f.Kind), Sentence: api.Sentence(f.Sentence), RunID: api.ID(f.Run)}
	}
	for i, said := range e.Answers {
		shown.Answers[i] = api.Sentence(said)
	}
	return &explanation{shown}, nil
}

// Explanations explain why a run is in its state, and what a job does now or at a moment.
type Explanations interface {
	ExplainRun(ctx context.Context, id int64, sight access.Sight) (explain.Explanation, error)
	ExplainJob(ctx context.Context, namespace, key string, at explain.Moment) (explain.Explanation, error)
}
