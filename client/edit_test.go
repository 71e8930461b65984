package client_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
)

func (m *memory) UpdateJob(
	ctx context.Context, namespace, key string, version int64, edit func(job.Job) (job.Job, error),
) (job.Job, error) {
	old, err := m.Job(ctx, namespace, key)
	if err != nil {
		return job.Job{}, err
	}
	if version != 0 && version != old.Version {
		return job.Job{}, job.Errorf(job.Conflict, "job %s has version %d", key, old.Version)
	}
	wanted, err := edit(old)
	if err != nil {
		return job.Job{}, err
	}
	return m.change(namespace, key, func(j *job.Job) {
		wanted.ID, wanted.Version, wanted.CreatedAt, wanted.UpdatedAt = old.ID, old.Version+1, old.CreatedAt, instant
		*j = wanted
	})
}

func (m *memory) CopyJob(ctx context.Context, namespace, key string, p jobs.Copies) ([]jobs.Copied, error) {
	origin, err := m.Job(ctx, namespace, key)
	if err != nil {
		return nil, err
	}
	results := make([]jobs.Copied, len(p.Each))
	for i, each := range p.Each {
		j := origin
		j.Key, j.Param = each.Key, *each.Param
		results[i].Key = j.Key
		results[i].Job, results[i].Err = m.CreateJob(ctx, j)
	}
	return results, nil
}

func TestUpdateJob(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c := serve(t, m, nil)
	was, err := c.CreateJob(t.Context(), api.NewJob{
		Key: "report", Group: "g", Title: "T", Param: "p", Handler: api.Handler{Kind: job.HandlerNamed, Name: "h"},
		Schedule: api.Schedule{Kind: "manual"}, Misfire: "skip", Route: job.RouteRound, Overlap: job.OverlapSerial, OnCrash: job.CrashReport,
	})
	if err != nil {
		t.Fatal(err)
	}
	patch := map[string]any{"title": nil, "param": "new", "labels": map[string]any{"a": "1"}}
	got, err := c.UpdateJob(t.Context(), "report", 1, patch)
	if err != nil {
		t.Fatal(err)
	}
	want := was
	want.Title, want.Param, want.Labels, want.Version = "", "new", map[string]string{"a": "1"}, 2
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changed job (-want +got):\n%s", diff)
	}
	if len(patch) != 3 {
		t.Errorf("the patch became %v", patch)
	}
	if _, err := c.UpdateJob(t.Context(), "report", 1, patch); !job.Is(err, job.Conflict) {
		t.Errorf("over an old version: %v", err)
	}
	if _, err := c.UpdateJob(t.Context(), "report", 0, nil); err != nil {
		t.Errorf("over any version: %v", err)
	}
	if _, err := c.UpdateJob(t.Context(), "report", 0, map[string]any{"timeout": "soon"}); !job.Is(err, job.Invalid) {
		t.Errorf("a wrong field: %v", err)
	}
	if _, err := c.UpdateJob(t.Context(), "No", 0, nil); !job.Is(err, job.Invalid) {
		t.Errorf("a key that no job has: %v", err)
	}
}

func TestCopyJob(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c := serve(t, m, nil)
	if _, err := m.CreateJob(t.Context(), job.Job{Namespace: "default", Key: "report", Group: "g"}); err != nil {
		t.Fatal(err)
	}
	param := "x"
	task := api.Copy{Key: "copy", Param: &param}
	got, err := c.CopyJob(t.Context(), "report", api.NewCopies{Tasks: []api.Copy{task, task}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Made != 1 || got.Failed != 1 || got.Copies[0].ID != 2 || got.Copies[1].Error.Code != job.Conflict {
		t.Errorf("copies %+v", got)
	}
	if _, err := c.CopyJob(t.Context(), "missing", api.NewCopies{Tasks: []api.Copy{task}}); !job.Is(err, job.NotFound) {
		t.Errorf("a missing job: %v", err)
	}
	if _, err := c.CopyJob(t.Context(), "No", api.NewCopies{}); !job.Is(err, job.Invalid) {
		t.Errorf("a key that no job has: %v", err)
	}
}
