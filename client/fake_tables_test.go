package client_test

import (
	"context"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/catalog"
)

func (m *memory) RankJobs(ctx context.Context, q catalog.JobQuery) ([]catalog.RankedJob, error) {
	if q.Mark != nil {
		q.After = q.Mark.Key
	}
	jobs, err := m.FindJobs(ctx, q)
	found := make([]catalog.RankedJob, len(jobs))
	for i, j := range jobs {
		found[i] = catalog.RankedJob{Job: j, Mark: catalog.JobMark{Value: j.ID, Key: j.Key}}
	}
	return found, err
}

func (m *memory) RankRuns(ctx context.Context, q catalog.RunQuery) (catalog.RankedRuns, error) {
	if q.Mark != nil {
		q.BeforeID = q.Mark.ID
	}
	runs, next, err := m.FindRuns(ctx, q)
	found := catalog.RankedRuns{Runs: runs, More: next > 0}
	for _, r := range runs {
		found.Marks = append(found.Marks, catalog.RunMark{ID: r.Run.ID})
	}
	return found, err
}

func (m *memory) JobActivity(_ context.Context, jobs []int64) (map[int64]catalog.JobActivity, error) {
	found := make(map[int64]catalog.JobActivity)
	for _, id := range jobs {
		found[id] = catalog.JobActivity{Running: 1, Waiting: int(id)}
	}
	return found, nil
}

func (m *memory) JobFacets(_ context.Context, _ access.Sight, namespace string) (catalog.JobFacets, error) {
	return catalog.JobFacets{Jobs: 1, Groups: []catalog.Facet{{Value: "g of " + namespace, Jobs: 1}}}, nil
}
