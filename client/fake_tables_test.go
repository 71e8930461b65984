package client_test

import (
	"context"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/queries"
)

func (m *memory) RankJobs(ctx context.Context, q queries.JobQuery) ([]queries.RankedJob, error) {
	if q.Mark != nil {
		q.After = q.Mark.Key
	}
	jobs, err := m.FindJobs(ctx, q)
	found := make([]queries.RankedJob, len(jobs))
	for i, j := range jobs {
		found[i] = queries.RankedJob{Job: j, Mark: queries.JobMark{Value: j.ID, Key: j.Key}}
	}
	return found, err
}

func (m *memory) RankRuns(ctx context.Context, q queries.RunQuery) (queries.RankedRuns, error) {
	if q.Mark != nil {
		q.BeforeID = q.Mark.ID
	}
	runs, next, err := m.FindRuns(ctx, q)
	found := queries.RankedRuns{Runs: runs, More: next > 0}
	for _, r := range runs {
		found.Marks = append(found.Marks, queries.RunMark{ID: r.Run.ID})
	}
	return found, err
}

func (m *memory) JobActivity(_ context.Context, jobs []int64) (map[int64]queries.JobActivity, error) {
	found := make(map[int64]queries.JobActivity)
	for _, id := range jobs {
		found[id] = queries.JobActivity{Running: 1, Waiting: int(id)}
	}
	return found, nil
}

func (m *memory) JobFacets(_ context.Context, _ access.Sight, namespace string) (queries.JobFacets, error) {
	return queries.JobFacets{Jobs: 1, Groups: []queries.Facet{{Value: "g of " + namespace, Jobs: 1}}}, nil
}
