package resttest

import (
	"context"
	"strings"
	"time"

	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// SaveWorkflow implements WorkflowKeeper.
func (f *Fake) SaveWorkflow(_ context.Context, w job.Workflow) (job.Workflow, error) {
	err := f.Note("save workflow %s/%s %q with %+v over %d", w.Namespace, w.Key, w.Title, w.Nodes, w.Version)
	return aWorkflow(), err
}

// DeleteWorkflow implements WorkflowKeeper.
func (f *Fake) DeleteWorkflow(_ context.Context, namespace, key string) error {
	return f.Note("delete workflow %s/%s", namespace, key)
}

// Workflow implements WorkflowKeeper.
func (f *Fake) Workflow(_ context.Context, namespace, key string) (job.Workflow, error) {
	return aWorkflow(), f.Note("workflow %s/%s", namespace, key)
}

// Workflows implements WorkflowKeeper.
func (f *Fake) Workflows(_ context.Context, namespace string) ([]job.Workflow, error) {
	bare := aWorkflow()
	bare.Nodes = nil
	return []job.Workflow{bare}, f.Note("workflows %s", namespace)
}

// StartWorkflow implements WorkflowRunner.
func (f *Fake) StartWorkflow(_ context.Context, namespace, key, param string, plannedAt time.Time) (job.WorkflowRun, error) {
	return aWorkflowRun(5), f.Note("start workflow %s/%s with %q for %s", namespace, key, param, plannedAt.Format(time.RFC3339))
}

// CancelWorkflowRun implements WorkflowRunner.
func (f *Fake) CancelWorkflowRun(_ context.Context, id int64, reason string) (job.WorkflowRun, error) {
	return aWorkflowRun(id), f.Note("cancel workflow run %d because %q", id, reason)
}

// ResumeWorkflowRun implements WorkflowRunner.
func (f *Fake) ResumeWorkflowRun(_ context.Context, id int64) (job.WorkflowRun, error) {
	return aWorkflowRun(id), f.Note("resume workflow run %d", id)
}

// WorkflowRun implements WorkflowRunReader.
func (f *Fake) WorkflowRun(_ context.Context, id int64) (job.WorkflowRun, error) {
	return aWorkflowRun(id), f.Note("workflow run %d", id)
}

// WorkflowRuns has five of them, in pages, each with a megabyte of parameter when
// the key says so.
func (f *Fake) WorkflowRuns(_ context.Context, q workflow.Filter) ([]job.WorkflowRun, error) {
	var found []job.WorkflowRun
	for id := int64(5); id > 0 && len(found) < q.Limit; id-- {
		if q.Before != 0 && id >= q.Before {
			continue
		}
		r := aWorkflowRun(id)
		r.Nodes = nil
		if q.Workflow == "large" {
			r.Param = strings.Repeat("x", 1<<20)
		}
		found = append(found, r)
	}
	return found, f.Note("workflow runs %+v", q)
}

func aWorkflow() job.Workflow {
	return job.Workflow{
		ID: 3, Namespace: "default", Key: "nightly", Title: "Nightly", Total: 2, Version: 4, CreatedAt: Instant, UpdatedAt: Instant,
		Nodes: []job.WorkflowNode{
			{Name: "a", Job: "x"}, {Name: "b", Job: "y", Join: job.JoinAny, After: []job.WorkflowEdge{{Node: "a", On: job.OnFailure}}},
		},
	}
}

func aWorkflowRun(id int64) job.WorkflowRun {
	return job.WorkflowRun{
		ID: id, WorkflowID: 3, Namespace: "default", Workflow: "nightly", Version: 4, State: job.WorkflowRunning, Generation: 1,
		Total: 1, CreatedAt: Instant, Nodes: []job.NodeRun{{
			WorkflowNode: job.WorkflowNode{Name: "a", Job: "x"}, JobID: 8, State: job.NodeRunning, RunID: 9, Generation: 1, StartedAt: Instant,
		}},
	}
}
