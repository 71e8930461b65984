package overview

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Stats counts the runs that ended on each day.
type Stats interface {
	Stats(ctx context.Context, q queries.StatsQuery) ([]job.Stats, error)
}

type statsQuery struct {
	Job       string `query:"job" doc:"Only runs of the job with this key."`
	Namespace string `query:"namespace" default:"default" doc:"The namespace of job. Without job, runs of all namespaces are counted."`
	Group     string `query:"group" doc:"Only runs of the jobs of this group, without job."`
	From      string `query:"from" format:"date" doc:"The first day, UTC. Defaults to 13 days before to."`
	To        string `query:"to" format:"date" doc:"The last day, UTC, at most 399 days after from. Defaults to today."`
}

type jobStatsQuery struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	From      string `query:"from" format:"date" doc:"The first day, UTC. Defaults to 13 days before to."`
	To        string `query:"to" format:"date" doc:"The last day, UTC, at most 399 days after from. Defaults to today."`
}

type statsReply struct{ Body api.Stats }

func (s *overviewRoom) registerStats() {
	guard.Register(s.Guard, guard.Op{
		ID: "get-stats", Method: http.MethodGet, Path: "/stats", Tags: []string{guard.TagRuns},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading,
		Summary: "Count the runs that ended on each day",
	}, s.getStats)
	guard.Register(s.Guard, guard.Op{
		ID: "get-job-stats", Method: http.MethodGet, Path: "/jobs/{key}/stats", Tags: []string{guard.TagJobs, guard.TagRuns},
		Right: access.View, Scope: guard.OnJob, Class: guard.Reading,
		Summary: "Count the runs of a job that ended on each day",
	}, s.getJobStats)
}

func (s *overviewRoom) getStats(ctx context.Context, in *statsQuery) (*statsReply, error) {
	q := queries.StatsQuery{Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, Job: in.Job, Group: in.Group}
	return s.stats(ctx, q, in.From, in.To)
}

func (s *overviewRoom) getJobStats(ctx context.Context, in *jobStatsQuery) (*statsReply, error) {
	q := queries.StatsQuery{Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, Job: in.Key}
	return s.stats(ctx, q, in.From, in.To)
}

func (s *overviewRoom) stats(ctx context.Context, q queries.StatsQuery, from, to string) (*statsReply, error) {
	var err error
	if q.From, err = parseDay("from", from); err != nil {
		return nil, err
	}
	if q.To, err = parseDay("to", to); err != nil {
		return nil, err
	}
	days, err := s.config.Stats.Stats(ctx, q)
	if err != nil {
		return nil, err
	}
	return &statsReply{api.FromStats(days)}, nil
}

// parseDay reads a day; an empty text is none.
func parseDay(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, job.FieldErrorf(field, "%q is no day: write it such as 2030-01-31", text)
	}
	return day, nil
}
