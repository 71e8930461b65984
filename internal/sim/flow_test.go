package sim

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// step begins the keys of the jobs that only workflows run, each in one node.
const step = "step-"

func isStep(key string) bool { return strings.HasPrefix(key, step) }

// steps returns the jobs of workflows.
func steps() []draft {
	named := func(name, group string, ms, fail int) draft {
		return draft{Job: job.Job{
			Key: step + name, Schedule: manual(), Group: group, Param: task(ms, fail), Retry: again(1), Overlap: job.OverlapConcurrent,
		}}
	}
	return []draft{
		named("fetch", alpha, 400, 10), named("left", beta, 900, 30), named("right", alpha, 600, 30),
		named("join", beta, 200, 0), named("mend", alpha, 100, 20), named("first", beta, 300, 0), named("second", alpha, 2000, 10),
	}
}

// workflows returns a diamond with a way around a failure, and a line.
func workflows() []job.Workflow {
	node := func(name string, join job.Join, after ...job.WorkflowEdge) job.WorkflowNode {
		return job.WorkflowNode{Name: name, Job: step + name, Join: join, After: after}
	}
	edge := func(name string, on job.Condition) job.WorkflowEdge { return job.WorkflowEdge{Node: name, On: on} }
	return []job.Workflow{
		{Key: "diamond", Namespace: job.DefaultNamespace, Nodes: []job.WorkflowNode{
			node("fetch", ""),
			node("left", "", edge("fetch", job.OnSuccess)),
			node("right", "", edge("fetch", job.OnSuccess)),
			node("mend", job.JoinAny, edge("left", job.OnFailure), edge("right", job.OnFailure)),
			node("join", job.JoinAny, edge("left", job.OnSuccess), edge("right", job.OnSuccess), edge("mend", job.OnSuccess)),
		}},
		{Key: "line", Namespace: job.DefaultNamespace, Nodes: []job.WorkflowNode{
			node("first", ""), node("second", "", edge("first", job.OnAlways)),
		}},
	}
}

// flow starts, cancels or resumes a run of a workflow.
func (u *users) flow(ctx context.Context, k *workflow.Keeper) {
	switch u.dice.below(6) {
	case 0:
		if len(u.flows) > 0 {
			id := u.flows[len(u.flows)-1]
			r, err := k.CancelWorkflowRun(ctx, id, "a user changed their mind")
			u.w.trace.note("users: cancel workflow run %d: %s, %v", id, r.State, err)
		}
	case 1:
		if len(u.flows) > 0 {
			id := u.flows[u.dice.below(len(u.flows))]
			r, err := k.ResumeWorkflowRun(ctx, id)
			u.w.trace.note("users: resume workflow run %d: %s, %v", id, r.State, err)
		}
	default:
		key := []string{"diamond", "line"}[u.dice.below(2)]
		r, err := k.StartWorkflow(ctx, job.DefaultNamespace, key, "", time.Time{})
		u.w.trace.note("users: start workflow run %d of %s: %v", r.ID, key, err)
		if err == nil {
			u.w.judge.promisedFlow(r.ID)
			u.flows = append(u.flows, r.ID)
		}
	}
}

// promisedFlow notes a workflow run that a user was told to be there.
func (j *judge) promisedFlow(id int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flows = append(j.flows, id)
}

// flowRuns returns all workflow runs, with their nodes if these are wanted.
func (j *judge) flowRuns(nodes bool) []job.WorkflowRun {
	all, err := j.w.store.WorkflowRuns(context.Background(), workflow.Filter{Sight: access.Sight{All: true}, Limit: 1000})
	if err != nil {
		j.w.t.Fatalf("read the workflow runs: %v", err)
	}
	for i := range all {
		if !nodes {
			break
		}
		if all[i], _, err = j.w.store.WorkflowRun(context.Background(), all[i].ID); err != nil {
			j.w.t.Fatalf("read workflow run %d: %v", all[i].ID, err)
		}
	}
	return all
}

// openFlows returns the workflow runs that are not over.
func (j *judge) openFlows() []string {
	var open []string
	for _, r := range j.flowRuns(false) {
		if !r.State.Over() {
			open = append(open, fmt.Sprintf("workflow run %d of %s is %s, %d of %d nodes are over: %s",
				r.ID, r.Workflow, r.State, r.Done, r.Total, r.Reason))
		}
	}
	return open
}

// flowed judges that each node of a workflow run has at most one run in each
// generation, and agrees with what became of the last, and that no other runs of
// its job are there.
func (j *judge) flowed(runs []job.Run) {
	byID, count := make(map[int64]*job.Run), make(map[string]int)
	for i := range runs {
		if isStep(runs[i].JobKey) {
			byID[runs[i].ID] = &runs[i]
			count[runs[i].JobKey]++
		}
	}
	known, most, least := make(map[int64]bool), make(map[string]int), make(map[string]int)
	for _, flow := range j.flowRuns(true) {
		known[flow.ID] = true
		for i := range flow.Nodes {
			n := &flow.Nodes[i]
			most[n.Job] += flow.Generation
			if n.RunID == 0 {
				continue
			}
			least[n.Job]++
			j.node(&flow, n, byID[n.RunID])
			delete(byID, n.RunID)
		}
	}
	for _, id := range j.flows {
		if !known[id] {
			j.fault("I1: workflow run %d was promised to a user and is not there", id)
		}
	}
	for key, n := range count {
		if n > most[key] || n < least[key] {
			j.fault("I2: job %s has %d runs, and workflows account for %d to %d", key, n, least[key], most[key])
		}
	}
	for _, r := range byID { // of earlier generations
		if !r.State.Final() {
			j.fault("I3: run %d of job %s is %s, and its workflow run went on without it", r.ID, r.JobKey, r.State)
		}
	}
}

// node judges one node by its last run, which is nil when it does not exist.
func (j *judge) node(flow *job.WorkflowRun, n *job.NodeRun, r *job.Run) {
	switch {
	case r == nil:
		j.fault("I1: run %d of node %s of workflow run %d is not there", n.RunID, n.Name, flow.ID)
	case n.State == job.NodeSucceeded && r.State != job.Succeeded,
		n.State == job.NodeFailed && (r.State == job.Succeeded || !r.State.Final()):
		j.fault("I6: node %s of workflow run %d is %s, its run %d %s", n.Name, flow.ID, n.State, r.ID, r.State)
	}
}

// makeWorkflows makes the workflows of a world that has their jobs.
func (w *world) makeWorkflows(ctx context.Context) {
	for _, f := range workflows() {
		if _, made := w.byKey[f.Nodes[0].Job]; !made {
			return
		}
		if _, err := w.servers[0].current().flows.SaveWorkflow(ctx, f); err != nil {
			w.t.Fatalf("make workflow %s: %v", f.Key, err)
		}
	}
}
