package workflow

import (
	"time"

	"github.com/orthd/orth/job"
)

// cancel returns the step for an open workflow run that a user cancels: no further node
// starts, and the workflow run ends with its active runs.
func cancel(r job.WorkflowRun, number int64, reason string, now time.Time, l limits) Step {
	p := newPlan(r, number, now)
	p.Run.State, p.Run.Reason = job.WorkflowCancelling, reason
	p.cancelWaiting()
	p.finish(l)
	return p.Step
}

// resume returns the step for a workflow run that has failed or was cancelled. Three kinds
// of nodes wait again, in a new generation: those that made it fail, those that were
// cancelled, and those that were skipped because of them. Succeeded nodes do not change.
// jobs are the ids of the jobs by key.
func resume(r job.WorkflowRun, number int64, jobs map[string]int64, now time.Time) Step {
	p := newPlan(r, number, now)
	again := make([]bool, len(r.Nodes))
	for i := range r.Nodes {
		again[i] = r.Nodes[i].State == job.NodeCancelled || p.counts(i)
	}
	p.reach(again)
	p.Run.Generation++
	p.Run.State, p.Run.Reason, p.Run.EndedAt = job.WorkflowRunning, "", time.Time{}
	for i := range p.Run.Nodes {
		if !again[i] {
			continue
		}
		n := p.change(i)
		*n = job.NodeRun{WorkflowNode: n.WorkflowNode, JobID: jobs[n.Job], State: job.NodeWaiting, Generation: p.Run.Generation}
	}
	p.Run.Count()
	p.Look = p.Now
	return p.Step
}

// reach marks the nodes that were skipped after the marked ones.
func (p *plan) reach(marked []bool) {
	for again := true; again; {
		again = false
		for i := range p.Run.Nodes {
			n := &p.Run.Nodes[i]
			if marked[i] || n.State != job.NodeSkipped {
				continue
			}
			for _, e := range n.After {
				if marked[p.places[e.Node]] {
					marked[i], again = true, true
					break
				}
			}
		}
	}
}
