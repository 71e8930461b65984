package client_test

import (
	"cmp"
	"context"
	"slices"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

func (m *memory) FindJobs(_ context.Context, q queries.JobQuery) ([]job.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []job.Job
	for _, j := range m.jobs {
		if j.Namespace == q.Namespace && (q.Group == "" || q.Group == j.Group) && (q.Enabled == nil || *q.Enabled == j.Enabled) &&
			j.Key > q.After && len(found) < q.Limit {
			found = append(found, j)
		}
	}
	return found, nil
}

func (m *memory) FindRuns(ctx context.Context, q queries.RunQuery) (found []queries.FoundRun, next int64, err error) {
	var of int64
	if q.Job != "" {
		j, err := m.Job(ctx, cmp.Or(q.Namespace, job.DefaultNamespace), q.Job)
		if err != nil {
			return nil, 0, err
		}
		of = j.ID
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range slices.Backward(m.runs) {
		if (of == 0 || of == r.JobID) && (len(q.States) == 0 || slices.Contains(q.States, r.State)) && (q.BeforeID == 0 || r.ID < q.BeforeID) {
			if found = append(found, queries.FoundRun{Run: r, Namespace: "default", Group: "g"}); len(found) == q.Limit {
				return found, r.ID, nil
			}
		}
	}
	return found, 0, nil
}

func (m *memory) Attempt(_ context.Context, id int64) (job.Attempt, error) {
	if id != 1<<61 {
		return job.Attempt{}, job.Errorf(job.NotFound, "attempt %d does not exist", id)
	}
	return job.Attempt{ID: id, RunID: 1 << 60, Number: 1, State: job.Running, TriggeredAt: instant}, nil
}

func (m *memory) FindGroups(_ context.Context, q jobs.GroupQuery) ([]jobs.GroupFigures, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []jobs.GroupFigures
	for _, g := range m.groups {
		if g.Key > q.After && len(found) < q.Limit {
			found = append(found, jobs.GroupFigures{Group: g, Jobs: 1})
		}
	}
	return found, nil
}

func (m *memory) Group(_ context.Context, _, key string) (jobs.GroupFigures, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.groups, func(g job.Group) bool { return g.Key == key })
	if i < 0 {
		return jobs.GroupFigures{}, job.Errorf(job.NotFound, "group %s does not exist", key)
	}
	return jobs.GroupFigures{Group: m.groups[i]}, nil
}

func (m *memory) CreateGroup(_ context.Context, g job.Group) (job.Group, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.groups = append(m.groups, g)
	return g, nil
}

func (m *memory) DeleteGroup(ctx context.Context, namespace, key string) error {
	if _, err := m.Group(ctx, namespace, key); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.groups = slices.DeleteFunc(m.groups, func(g job.Group) bool { return g.Key == key })
	return nil
}
