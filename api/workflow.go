package api

import "github.com/orthd/orth/job"

// Workflow orders jobs by their dependencies.
type Workflow struct {
	Namespace string         `json:"namespace"`
	Key       string         `json:"key"`
	Title     string         `json:"title,omitempty"`
	Nodes     []WorkflowNode `json:"nodes,omitempty" doc:"In the order of their author; absent in lists."`
	Total     int            `json:"total" doc:"How many nodes there are."`
	Version   int64          `json:"version" doc:"Grows with each change."`
	CreatedAt Time           `json:"created_at" format:"date-time"`
	UpdatedAt Time           `json:"updated_at" format:"date-time"`
}

// NewWorkflow is a workflow to be written.
type NewWorkflow struct {
	Title   string         `json:"title,omitempty" maxLength:"200"`
	Nodes   []WorkflowNode `json:"nodes" minItems:"1" maxItems:"200" nullable:"false" doc:"Jobs and their dependencies, without a cycle."`
	Version int64          `json:"version,omitempty" minimum:"0" doc:"Write over this version only. Defaults to any, or none."`
}

// WorkflowNode is a job in a workflow.
type WorkflowNode struct {
	Name  string         `json:"name" doc:"Unique within the workflow; written like a key." example:"load"`
	Job   string         `json:"job" doc:"The job's key, in the namespace of the workflow."`
	Param *string        `json:"param,omitempty" doc:"Used instead of the job's parameter, at most 4 KiB. {{param}}, {{planned_at}} and {{run_id}} are those of the workflow run, {{nodes.NAME.result}} is the result of an earlier node that succeeded. For a job with inputs it is a JSON object with their values. An unknown name, an invalid value and a missing required input are refused, with the field nodes[0].param or nodes[0].param.NAME."`
	Join  job.Join       `json:"join,omitempty" pattern:"^(all|any|[1-9][0-9]{0,2})$" patternDescription:"all, any, or a number" doc:"How many of the edges in after must hold. Defaults to all."`
	After []WorkflowEdge `json:"after,omitempty" maxItems:"199" doc:"The edges to this node. Without any it starts at once."`
}

// WorkflowEdge makes a node wait for another one.
type WorkflowEdge struct {
	Node string        `json:"node" doc:"The name of the node to wait for."`
	On   job.Condition `json:"on,omitempty" enum:"success,failure,always" doc:"The required end of the other node. Defaults to success; always holds once it has ended, also when it was skipped."`
}

// WorkflowStart is the body of a request that starts a run of a workflow.
type WorkflowStart struct {
	Param     string `json:"param,omitempty" doc:"For the templates of the nodes, JSON or any other text, at most 64 KiB."`
	PlannedAt Time   `json:"planned_at,omitzero" format:"date-time" doc:"The slot that all runs serve. Defaults to none."`
}

// WorkflowRun is one passage through a workflow.
type WorkflowRun struct {
	ID         ID                `json:"id" pattern:"^[0-9]+$"`
	Namespace  string            `json:"namespace"`
	Workflow   string            `json:"workflow" doc:"The workflow's key."`
	Version    int64             `json:"version" doc:"The version of the workflow whose nodes these are."`
	State      job.WorkflowState `json:"state" enum:"running,cancelling,succeeded,failed,cancelled"`
	Final      bool              `json:"final" doc:"Whether the state will not change by itself any more."`
	Reason     string            `json:"reason,omitempty" doc:"Why it is in its state."`
	PlannedAt  Time              `json:"planned_at,omitzero" format:"date-time" doc:"The slot that all runs serve; absent for none."`
	Param      string            `json:"param,omitempty"`
	Generation int               `json:"generation" doc:"1, and one more with each resumption."`
	Total      int               `json:"total" doc:"How many nodes there are."`
	Done       int               `json:"done" doc:"Nodes that are over."`
	Failed     int               `json:"failed" doc:"Nodes that have failed."`
	Nodes      []NodeRun         `json:"nodes,omitempty" doc:"In the order of the workflow; absent in lists."`
	CreatedAt  Time              `json:"created_at" format:"date-time"`
	EndedAt    Time              `json:"ended_at,omitzero" format:"date-time"`
}

// NodeRun is a node of a workflow run.
type NodeRun struct {
	WorkflowNode
	State      job.NodeState `json:"state" enum:"waiting,running,succeeded,failed,skipped,cancelled"`
	RunID      ID            `json:"run_id,omitzero" pattern:"^[0-9]+$" doc:"The node's current or last run; absent before the first."`
	Generation int           `json:"generation" doc:"The generation of the workflow run in which it was last set going or back."`
	Reason     string        `json:"reason,omitempty" doc:"Why it is in its state."`
	Result     string        `json:"result,omitempty" doc:"The result of its run, when it succeeded."`
	StartedAt  Time          `json:"started_at,omitzero" format:"date-time"`
	EndedAt    Time          `json:"ended_at,omitzero" format:"date-time"`
}

// WorkflowList is all workflows of a namespace in order of key.
type WorkflowList struct {
	Workflows []Workflow `json:"workflows" nullable:"false"`
}

// WorkflowRunList is a page of workflow runs, the newest first.
type WorkflowRunList struct {
	Runs []WorkflowRun `json:"runs" nullable:"false"`
	Next ID            `json:"next,omitzero" pattern:"^[0-9]+$" doc:"Send it as before for the next page; absent on the last one."`
}

// FromWorkflow returns the workflow as the API shows it.
func FromWorkflow(w job.Workflow) Workflow {
	return Workflow{
		Namespace: w.Namespace, Key: w.Key, Title: w.Title, Nodes: convert(w.Nodes, fromNode), Total: w.Total,
		Version: w.Version, CreatedAt: At(w.CreatedAt), UpdatedAt: At(w.UpdatedAt),
	}
}

// Workflow returns the workflow to be written. Nothing is checked here.
func (n NewWorkflow) Workflow() job.Workflow {
	return job.Workflow{Title: n.Title, Version: n.Version, Nodes: convert(n.Nodes, func(node WorkflowNode) job.WorkflowNode {
		return job.WorkflowNode{
			Name: node.Name, Job: node.Job, Param: node.Param, Join: node.Join,
			After: convert(node.After, func(e WorkflowEdge) job.WorkflowEdge { return job.WorkflowEdge(e) }),
		}
	})}
}

// FromWorkflowRun returns the workflow run as the API shows it.
func FromWorkflowRun(r job.WorkflowRun) WorkflowRun {
	return WorkflowRun{
		ID: ID(r.ID), Namespace: r.Namespace, Workflow: r.Workflow, Version: r.Version, State: r.State, Final: r.State.Over(),
		Reason: r.Reason, PlannedAt: At(r.PlannedAt), Param: r.Param, Generation: r.Generation, Total: r.Total, Done: r.Done,
		Failed: r.Failed, CreatedAt: At(r.CreatedAt), EndedAt: At(r.EndedAt),
		Nodes: convert(r.Nodes, func(n job.NodeRun) NodeRun {
			return NodeRun{
				WorkflowNode: fromNode(n.WorkflowNode), State: n.State, RunID: ID(n.RunID), Generation: n.Generation,
				Reason: n.Reason, Result: n.Result, StartedAt: At(n.StartedAt), EndedAt: At(n.EndedAt),
			}
		}),
	}
}

func fromNode(n job.WorkflowNode) WorkflowNode {
	return WorkflowNode{
		Name: n.Name, Job: n.Job, Param: n.Param, Join: n.Join,
		After: convert(n.After, func(e job.WorkflowEdge) WorkflowEdge { return WorkflowEdge(e) }),
	}
}

// convert returns the list with each entry converted; nil stays nil.
func convert[A, B any](list []A, fn func(A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i := range list {
		out[i] = fn(list[i])
	}
	return out
}
