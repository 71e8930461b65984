package storetest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

func workflowTests() []test {
	return []test{
		{"a workflow is written and read", workflowIsRead},
		{"a workflow is written over the version that is named", workflowVersions},
		{"there are not too many workflows", workflowLimit},
		{"a workflow run is read as it was added", workflowRunIsRead},
		{"workflow runs are listed in pages", workflowRunPages},
		{"a claim hides until its lease and returns ended runs", workflowRunClaimed},
		{"a claim names workflow runs whose time has not come", workflowRunNamed},
		{"workflow runs are left to others", workflowLetGo},
		{"runs of nodes that are over are found", workflowEnds},
		{"a step is written once, with its runs", workflowSteps},
		{"a step cancels the runs that wait", workflowCancels},
		{"runs of a deleted job are left out", workflowOfDeletedJob},
		{"what is over is not worked on until it is opened again", workflowReopened},
		{"many servers do each step once", workflowRace},
		{"not too many workflow runs are open", workflowRunLimit},
	}
}

// flow returns a workflow of two nodes that is not in the store.
func (b *bench) flow(key string) job.Workflow {
	return job.Workflow{
		Namespace: job.DefaultNamespace, Key: key, Title: "größer", UpdatedAt: b.now,
		Nodes: []job.WorkflowNode{
			{Name: "begin", Job: "a", Param: new("{{param}} größe")},
			{Name: "finish", Job: "b", Join: job.JoinAny, After: []job.WorkflowEdge{{Node: "begin", On: job.OnAlways}}},
		},
	}
}

// flowRun adds a run of a workflow, of two nodes that run the job.
func (b *bench) flowRun(key string, j job.Job) job.WorkflowRun {
	b.Helper()
	r := job.WorkflowRun{
		WorkflowID: 3, Namespace: job.DefaultNamespace, Workflow: key, Version: 2, State: job.WorkflowRunning,
		PlannedAt: b.at(-5), Param: "größe=1", Generation: 1, Total: 2, CreatedAt: b.now,
	}
	for _, n := range b.flow(key).Nodes {
		r.Nodes = append(r.Nodes, job.NodeRun{WorkflowNode: n, JobID: j.ID, State: job.NodeWaiting, Generation: 1})
	}
	r, err := b.AddWorkflowRun(b.ctx(), r)
	b.ok(err)
	return r
}

func (b *bench) flowRunOf(id int64) job.WorkflowRun {
	b.Helper()
	r, _, err := b.WorkflowRun(b.ctx(), id)
	b.ok(err)
	return r
}

func (b *bench) flowWork(now, lease, limit int) []workflow.Work {
	b.Helper()
	work, err := b.ClaimWorkflowRuns(b.ctx(), workflow.Claim{Until: b.at(now), Lease: b.at(lease), Limit: limit})
	b.ok(err)
	return work
}

func (b *bench) flowStep(s workflow.Step) bool {
	b.Helper()
	done, err := b.CommitWorkflowStep(b.ctx(), s)
	b.ok(err)
	return done
}

// nodeRun returns a run of a node.
func (b *bench) nodeRun(j job.Job) job.Run {
	b.Helper()
	r := b.firing(j, b.at(-5))
	r.Cause, r.CauseID, r.ReadyAt, r.DueAt = job.CauseParent, r.ID, b.now, b.now
	return r
}

// started returns the step that starts both nodes of claimed work.
func (b *bench) started(w workflow.Work, j job.Job) workflow.Step {
	b.Helper()
	step := workflow.Step{Run: w.Run, Number: w.Step, Changed: []int{0, 1}, Look: b.at(5), Now: b.at(1)}
	step.Run.Nodes = slices.Clone(w.Run.Nodes)
	for i := range step.Run.Nodes {
		run := b.nodeRun(j)
		n := &step.Run.Nodes[i]
		n.State, n.RunID, n.StartedAt = job.NodeRunning, run.ID, b.at(1)
		step.Runs = append(step.Runs, run)
	}
	return step
}

func workflowIsRead(b *bench) {
	want := b.flow("nightly")
	got, err := b.SaveWorkflow(b.ctx(), want)
	b.ok(err)
	want.ID, want.Version, want.CreatedAt, want.Total = got.ID, 1, b.now, 2
	b.same("saved", got, want)
	b.reopen()
	read := func() job.Workflow {
		w, err := b.Workflow(b.ctx(), job.DefaultNamespace, "nightly")
		b.ok(err)
		return w
	}
	b.same("read", read(), want)
	other := b.flow("early")
	other.Namespace = "another"
	_, err = b.SaveWorkflow(b.ctx(), other)
	b.ok(err)
	early, err := b.SaveWorkflow(b.ctx(), b.flow("early"))
	b.ok(err)
	listed, err := b.Workflows(b.ctx(), job.DefaultNamespace)
	b.ok(err)
	bare := []job.Workflow{early, want}
	bare[0].Nodes, bare[1].Nodes = nil, nil
	b.same("listed", listed, bare)
	listed, err = b.Workflows(b.ctx(), access.All)
	b.ok(err)
	b.same("how many there are in all namespaces", len(listed), 3)
	b.same("the first of them", listed[0].Namespace, "another")
	b.ok(b.DeleteWorkflow(b.ctx(), job.DefaultNamespace, "early"))
	b.kind(b.DeleteWorkflow(b.ctx(), job.DefaultNamespace, "early"), job.NotFound)
	_, err = b.Workflow(b.ctx(), job.DefaultNamespace, "early")
	b.kind(err, job.NotFound)
	_, err = b.Workflow(b.ctx(), "another", "early")
	b.ok(err)
}

func workflowVersions(b *bench) {
	saved, err := b.SaveWorkflow(b.ctx(), b.flow("nightly"))
	b.ok(err)
	next := b.flow("nightly")
	next.Version, next.Title, next.UpdatedAt = 1, changed, b.at(9)
	next.Nodes = next.Nodes[:1]
	got, err := b.SaveWorkflow(b.ctx(), next)
	b.ok(err)
	next.ID, next.Version, next.CreatedAt, next.Total = saved.ID, 2, b.now, 1
	b.same("saved", got, next)
	read, err := b.Workflow(b.ctx(), job.DefaultNamespace, "nightly")
	b.ok(err)
	b.same("read", read, next)
	next.Version = 1
	_, err = b.SaveWorkflow(b.ctx(), next)
	b.kind(err, job.Conflict)
	next.Version = 0
	got, err = b.SaveWorkflow(b.ctx(), next)
	b.ok(err)
	b.same("version", got.Version, int64(3))
	missing := b.flow("missing")
	missing.Version = 1
	_, err = b.SaveWorkflow(b.ctx(), missing)
	b.kind(err, job.NotFound)
}

func workflowLimit(b *bench) {
	var all sync.WaitGroup
	for i := range job.MaxWorkflows {
		all.Go(func() {
			if _, err := b.SaveWorkflow(b.ctx(), b.flow(fmt.Sprint("w", i))); err != nil {
				b.Errorf("unexpected error: %v", err)
			}
		})
	}
	all.Wait()
	_, err := b.SaveWorkflow(b.ctx(), b.flow("more"))
	b.kind(err, job.Full)
	_, err = b.SaveWorkflow(b.ctx(), b.flow("w7"))
	b.ok(err)
}
