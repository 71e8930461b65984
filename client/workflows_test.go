package client_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// flows is the part of a server that keeps workflows, in memory.
type flows struct {
	saved map[string]job.Workflow
	runs  []job.WorkflowRun
	asked int // how often a run was looked at
}

func (m *memory) SaveWorkflow(_ context.Context, w job.Workflow) (job.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.flows.saved == nil {
		m.flows.saved = make(map[string]job.Workflow)
	}
	w.ID, w.Version, w.Total, w.CreatedAt, w.UpdatedAt = 1, w.Version+1, len(w.Nodes), instant, instant
	m.flows.saved[w.Namespace+"/"+w.Key] = w
	return w, nil
}

func (m *memory) DeleteWorkflow(ctx context.Context, namespace, key string) error {
	_, err := m.Workflow(ctx, namespace, key)
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.flows.saved, namespace+"/"+key)
	return err
}

func (m *memory) Workflow(_ context.Context, namespace, key string) (job.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, ok := m.flows.saved[namespace+"/"+key]
	if !ok {
		return w, job.Errorf(job.NotFound, "there is no workflow %s", key)
	}
	return w, nil
}

func (m *memory) Workflows(_ context.Context, namespace string) ([]job.Workflow, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []job.Workflow
	for _, w := range m.flows.saved {
		if w.Namespace == namespace {
			found = append(found, w)
		}
	}
	return found, nil
}

func (m *memory) StartWorkflow(ctx context.Context, namespace, key, param string, plannedAt time.Time) (job.WorkflowRun, error) {
	w, err := m.Workflow(ctx, namespace, key)
	m.mu.Lock()
	defer m.mu.Unlock()
	r := job.WorkflowRun{
		ID: int64(len(m.flows.runs) + 1), Namespace: namespace, Workflow: key, Version: w.Version, State: job.WorkflowRunning,
		Param: param, PlannedAt: plannedAt, Generation: 1, Total: w.Total, CreatedAt: instant,
	}
	m.flows.runs = append(m.flows.runs, r)
	return r, err
}

// WorkflowRun is over when it is looked at for the third time.
func (m *memory) WorkflowRun(_ context.Context, id int64) (job.WorkflowRun, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id > int64(len(m.flows.runs)) {
		return job.WorkflowRun{}, job.Errorf(job.NotFound, "there is no workflow run %d", id)
	}
	if m.flows.asked++; m.flows.asked == 3 {
		m.flows.runs[id-1].State = job.WorkflowSucceeded
	}
	return m.flows.runs[id-1], nil
}

func (m *memory) WorkflowRuns(_ context.Context, f workflow.Filter) ([]job.WorkflowRun, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []job.WorkflowRun
	for _, r := range slices.Backward(m.flows.runs) {
		if (f.Workflow == "" || r.Workflow == f.Workflow) && (f.Before == 0 || r.ID < f.Before) && len(found) < f.Limit {
			found = append(found, r)
		}
	}
	return found, nil
}

func (m *memory) CancelWorkflowRun(ctx context.Context, id int64, reason string) (job.WorkflowRun, error) {
	r, err := m.WorkflowRun(ctx, id)
	r.State, r.Reason = job.WorkflowCancelling, reason
	return r, err
}

func (m *memory) ResumeWorkflowRun(ctx context.Context, id int64) (job.WorkflowRun, error) {
	r, err := m.WorkflowRun(ctx, id)
	r.Generation++
	return r, err
}

func TestWorkflows(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), serve(t, &memory{}, nil)
	param := "{{param}}"
	wanted := api.NewWorkflow{Title: "Nightly", Nodes: []api.WorkflowNode{
		{Name: "a", Job: "x", Param: &param},
		{Name: "b", Job: "y", Join: job.JoinAny, After: []api.WorkflowEdge{{Node: "a", On: job.OnAlways}}},
	}}
	saved, err := c.SaveWorkflow(ctx, "nightly", wanted)
	want := api.Workflow{
		Namespace: "default", Key: "nightly", Title: "Nightly", Nodes: wanted.Nodes, Total: 2, Version: 1,
		CreatedAt: api.At(instant), UpdatedAt: api.At(instant),
	}
	if diff := cmp.Diff(want, saved); err != nil || diff != "" {
		t.Fatalf("saved: %v %s", err, diff)
	}
	if got, err := c.Workflow(ctx, "nightly"); err != nil || !cmp.Equal(got, saved) {
		t.Errorf("shown %+v, %v", got, err)
	}
	if got, err := c.Workflows(ctx); err != nil || len(got) != 1 || got[0].Key != "nightly" {
		t.Errorf("listed %+v, %v", got, err)
	}
	if err := c.DeleteWorkflow(ctx, "nightly"); err != nil {
		t.Error(err)
	}
	if err := c.DeleteWorkflow(ctx, "nightly"); !job.Is(err, job.NotFound) {
		t.Errorf("deleted twice: %v", err)
	}
	for _, key := range []string{"", "No Key"} {
		_, saving := c.SaveWorkflow(ctx, key, wanted)
		_, reading := c.Workflow(ctx, key)
		_, starting := c.StartWorkflow(ctx, key, api.WorkflowStart{})
		for _, err := range []error{saving, reading, starting, c.DeleteWorkflow(ctx, key)} {
			if !job.Is(err, job.Invalid) {
				t.Errorf("the key %q: %v", key, err)
			}
		}
	}
}

func TestWorkflowRuns(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), serve(t, &memory{}, nil)
	if _, err := c.SaveWorkflow(ctx, "nightly", api.NewWorkflow{Nodes: []api.WorkflowNode{{Name: "a", Job: "x"}}}); err != nil {
		t.Fatal(err)
	}
	made, err := c.StartWorkflow(ctx, "nightly", api.WorkflowStart{Param: "p", PlannedAt: api.At(instant)})
	want := api.WorkflowRun{
		ID: 1, Namespace: "default", Workflow: "nightly", Version: 1, State: job.WorkflowRunning, Param: "p",
		PlannedAt: api.At(instant), Generation: 1, Total: 1, CreatedAt: api.At(instant),
	}
	if diff := cmp.Diff(want, made); err != nil || diff != "" {
		t.Fatalf("started: %v %s", err, diff)
	}
	ended, err := c.WaitWorkflowRun(ctx, 1)
	if err != nil || ended.State != job.WorkflowSucceeded || !ended.Final {
		t.Errorf("waited for %+v, %v", ended, err)
	}
	if _, err := c.StartWorkflow(ctx, "nightly", api.WorkflowStart{}); err != nil {
		t.Fatal(err)
	}
	page, err := c.WorkflowRuns(ctx, client.WorkflowRunQuery{Workflow: "nightly", Limit: 1})
	if err != nil || len(page.Runs) != 1 || page.Runs[0].ID != 2 || page.Next != 2 {
		t.Fatalf("the first page: %+v, %v", page, err)
	}
	page, err = c.WorkflowRuns(ctx, client.WorkflowRunQuery{Before: page.Next})
	if err != nil || !cmp.Equal(page.Runs, []api.WorkflowRun{ended}) || page.Next != 0 {
		t.Errorf("the second page: %+v, %v", page, err)
	}
	if got, err := c.CancelWorkflowRun(ctx, 1, "enough"); err != nil || got.State != job.WorkflowCancelling || got.Reason != "enough" {
		t.Errorf("cancelled %+v, %v", got, err)
	}
	if got, err := c.ResumeWorkflowRun(ctx, 1); err != nil || got.Generation != 2 {
		t.Errorf("resumed %+v, %v", got, err)
	}
	if _, err := c.WaitWorkflowRun(ctx, 9); !job.Is(err, job.NotFound) {
		t.Errorf("waited for one that does not exist: %v", err)
	}
}
