package workflows

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// Workflows is all that the API asks about workflows.
type Workflows interface {
	WorkflowKeeper
	WorkflowRunner
	WorkflowRunReader
}

// WorkflowKeeper keeps workflows. Lists come without nodes.
type WorkflowKeeper interface {
	SaveWorkflow(ctx context.Context, w job.Workflow) (job.Workflow, error)
	DeleteWorkflow(ctx context.Context, namespace, key string) error
	Workflow(ctx context.Context, namespace, key string) (job.Workflow, error)
	Workflows(ctx context.Context, namespace string) ([]job.Workflow, error)
}

// WorkflowRunner starts, cancels and resumes runs of workflows.
type WorkflowRunner interface {
	StartWorkflow(ctx context.Context, namespace, key, param string, plannedAt time.Time) (job.WorkflowRun, error)
	CancelWorkflowRun(ctx context.Context, id int64, reason string) (job.WorkflowRun, error)
	ResumeWorkflowRun(ctx context.Context, id int64) (job.WorkflowRun, error)
}

// WorkflowRunReader reads runs of workflows.
type WorkflowRunReader interface {
	WorkflowRun(ctx context.Context, id int64) (job.WorkflowRun, error)
	WorkflowRuns(ctx context.Context, f workflow.Filter) ([]job.WorkflowRun, error)
}

const tagWorkflows = "workflows"

type workflowSpace struct {
	Namespace string `query:"namespace" default:"default" doc:"Workflows of this namespace; * for those of all that the caller may see."`
}

type workflowPath struct {
	Key       string `path:"key" doc:"The workflow's key."`
	Namespace string `query:"namespace" default:"default" doc:"The workflow's namespace."`
}

type newWorkflow struct {
	Key       string `path:"key" doc:"The workflow's key."`
	Namespace string `query:"namespace" default:"default" doc:"The workflow's namespace."`
	Body      api.NewWorkflow
}

type workflowStart struct {
	Key       string `path:"key" doc:"The workflow's key."`
	Namespace string `query:"namespace" default:"default" doc:"The workflow's namespace."`
	Body      *api.WorkflowStart
}

type workflowRunPath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a workflow run's id" doc:"The workflow run's id."`
}

type workflowRunQuery struct {
	Workflow  string `query:"workflow" doc:"Only runs of the workflow with this key; it need not exist any more."`
	Namespace string `query:"namespace" default:"default" doc:"The namespace of workflow. Without workflow, runs of all namespaces are listed."`
	Before    string `query:"before" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a workflow run's id" doc:"Only ids below this one: next of the page before."`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many. A page of large ones ends earlier."`
}

type cancelWorkflowRun struct {
	ID   string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a workflow run's id" doc:"The workflow run's id."`
	Body *api.Cancel
}

type workflowReply struct{ Body api.Workflow }

type workflowList struct{ Body api.WorkflowList }

type workflowRunReply struct{ Body api.WorkflowRun }

type workflowRunStarted struct {
	Location string `header:"Location" doc:"The path of the workflow run."`
	Body     api.WorkflowRun
}

type workflowRunList struct{ Body api.WorkflowRunList }

func (s *workflowRoom) registerWorkflows() {
	tags := []string{tagWorkflows}
	guard.Register(s.Guard, guard.Op{
		ID: "list-workflows", Method: http.MethodGet, Path: "/workflows", Tags: tags,
		Right: access.View, Scope: guard.Everywhere(guard.InNamespace), Class: guard.Reading,
		Summary: "List workflows in order of namespace and key, without their nodes",
	}, s.listWorkflows)
	guard.Register(s.Guard, guard.Op{
		ID: "get-workflow", Method: http.MethodGet, Path: "/workflows/{key}", Tags: tags,
		Right: access.View, Scope: guard.Keyed("workflow"), Class: guard.Reading,
		Policy:  guard.Policy{Kind: guard.KindWorkflow},
		Summary: "Show a workflow",
	}, s.getWorkflow)
	guard.Register(s.Guard, guard.Op{
		ID: "save-workflow", Method: http.MethodPut, Path: "/workflows/{key}", Tags: tags,
		Right: access.Edit, Scope: guard.Keyed("workflow"), Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindWorkflow, Dry: true},
		Summary: "Write a workflow, a new one or over the one of its key; runs that have begun keep their nodes",
	}, s.saveWorkflow)
	guard.Register(s.Guard, guard.Op{
		ID: "delete-workflow", Method: http.MethodDelete, Path: "/workflows/{key}", Tags: tags,
		Right: access.Edit, Scope: guard.Keyed("workflow"), Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindWorkflow, Dry: true},
		Summary: "Delete a workflow; its runs stay, and those that have begun go on",
	}, s.deleteWorkflow)
	guard.Register(s.Guard, guard.Op{
		ID: "start-workflow", Method: http.MethodPost, Path: "/workflows/{key}/runs", Tags: tags,
		Right: access.Operate, Scope: guard.Keyed("workflow"), Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindWorkflow, Dry: true},
		Summary: "Start a run of a workflow",
	}, s.startWorkflow)
	guard.Register(s.Guard, guard.Op{
		ID: "list-workflow-runs", Method: http.MethodGet, Path: "/workflow-runs", Tags: tags,
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading,
		Summary: "List runs of workflows without their nodes, the newest first",
	}, s.listWorkflowRuns)
	guard.Register(s.Guard, guard.Op{
		ID: "get-workflow-run", Method: http.MethodGet, Path: "/workflow-runs/{id}", Tags: tags,
		Right: access.View, Scope: guard.OnWorkflowRun, Class: guard.Reading,
		Summary: "Show a run of a workflow with its nodes",
	}, s.getWorkflowRun)
	guard.Register(s.Guard, guard.Op{
		ID: "cancel-workflow-run", Method: http.MethodPost, Path: "/workflow-runs/{id}/cancel", Tags: tags,
		Right: access.Operate, Scope: guard.OnWorkflowRun, Class: guard.Writing,
		Policy:  guard.Policy{Acts: true},
		Summary: "Cancel a run of a workflow: no further node starts, and running nodes are cancelled",
	}, s.cancelWorkflowRun)
	guard.Register(s.Guard, guard.Op{
		ID: "resume-workflow-run", Method: http.MethodPost, Path: "/workflow-runs/{id}/resume", Tags: tags,
		Right: access.Operate, Scope: guard.OnWorkflowRun, Class: guard.Writing,
		Policy:  guard.Policy{Dry: true},
		Summary: "Go on with a run of a workflow that has failed or was cancelled, from the nodes that made it fail",
	}, s.resumeWorkflowRun)
}

func (s *workflowRoom) listWorkflows(ctx context.Context, in *workflowSpace) (*workflowList, error) {
	found, err := s.config.Workflows.Workflows(ctx, in.Namespace)
	if err != nil {
		return nil, err
	}
	if in.Namespace == access.All {
		found = guard.InSight(ctx, s.Guard, found, func(w *job.Workflow) string { return w.Namespace })
	}
	list := api.WorkflowList{Workflows: make([]api.Workflow, len(found))}
	for i := range found {
		list.Workflows[i] = api.FromWorkflow(found[i])
	}
	return &workflowList{list}, nil
}

func (s *workflowRoom) getWorkflow(ctx context.Context, in *workflowPath) (*workflowReply, error) {
	return replyWorkflow(s.config.Workflows.Workflow(ctx, in.Namespace, in.Key))
}

func (s *workflowRoom) saveWorkflow(ctx context.Context, in *newWorkflow) (*workflowReply, error) {
	w := in.Body.Workflow()
	w.Namespace, w.Key = in.Namespace, in.Key
	if err := s.checkNodes(ctx, &w); err != nil {
		return nil, err
	}
	return replyWorkflow(s.config.Workflows.SaveWorkflow(ctx, w))
}

func (s *workflowRoom) deleteWorkflow(ctx context.Context, in *workflowPath) (*struct{}, error) {
	return nil, s.config.Workflows.DeleteWorkflow(ctx, in.Namespace, in.Key)
}

func (s *workflowRoom) startWorkflow(ctx context.Context, in *workflowStart) (*workflowRunStarted, error) {
	var wanted api.WorkflowStart
	if in.Body != nil {
		wanted = *in.Body
	}
	r, err := s.config.Workflows.StartWorkflow(ctx, in.Namespace, in.Key, wanted.Param, wanted.PlannedAt.Time)
	if err != nil {
		return nil, err
	}
	shown := api.FromWorkflowRun(r)
	return &workflowRunStarted{Location: guard.Prefix + "/workflow-runs/" + shown.ID.String(), Body: shown}, nil
}

func (s *workflowRoom) listWorkflowRuns(ctx context.Context, in *workflowRunQuery) (*workflowRunList, error) {
	f := workflow.Filter{Sight: s.Sight(ctx, access.View), Namespace: in.Namespace, Workflow: in.Workflow, Limit: in.Limit}
	if in.Before != "" {
		var err error
		if f.Before, err = guard.ParseID("before", in.Before); err != nil {
			return nil, err
		}
	}
	found, err := s.config.Workflows.WorkflowRuns(ctx, f)
	if err != nil {
		return nil, err
	}
	list, size := api.WorkflowRunList{Runs: []api.WorkflowRun{}}, 0
	for _, r := range found {
		size += len(r.Param) + len(r.Reason)
		if size > guard.MaxPage && len(list.Runs) > 0 {
			list.Next = list.Runs[len(list.Runs)-1].ID
			break
		}
		list.Runs = append(list.Runs, api.FromWorkflowRun(r))
	}
	if n := len(list.Runs); n >= in.Limit {
		list.Next = list.Runs[n-1].ID
	}
	return &workflowRunList{list}, nil
}

func (s *workflowRoom) getWorkflowRun(ctx context.Context, in *workflowRunPath) (*workflowRunReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	return replyWorkflowRun(s.config.Workflows.WorkflowRun(ctx, id))
}

func (s *workflowRoom) cancelWorkflowRun(ctx context.Context, in *cancelWorkflowRun) (*workflowRunReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	return replyWorkflowRun(s.config.Workflows.CancelWorkflowRun(ctx, id, reason))
}

func (s *workflowRoom) resumeWorkflowRun(ctx context.Context, in *workflowRunPath) (*workflowRunReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	return replyWorkflowRun(s.config.Workflows.ResumeWorkflowRun(ctx, id))
}

func replyWorkflow(w job.Workflow, err error) (*workflowReply, error) {
	if err != nil {
		return nil, err
	}
	return &workflowReply{api.FromWorkflow(w)}, nil
}

func replyWorkflowRun(r job.WorkflowRun, err error) (*workflowRunReply, error) {
	if err != nil {
		return nil, err
	}
	return &workflowRunReply{api.FromWorkflowRun(r)}, nil
}

// checkNodes reports what is wrong with the parameters of a workflow's nodes. Who saves a
// workflow may edit all jobs of its namespace.
func (s *workflowRoom) checkNodes(ctx context.Context, w *job.Workflow) error {
	for i := range min(len(w.Nodes), job.MaxWorkflowNodes) {
		n := &w.Nodes[i]
		if n.Param == nil || !strings.Contains(*n.Param, "{{") {
			continue
		}
		j, err := s.config.Jobs.Job(ctx, w.Namespace, n.Job)
		if err == nil {
			err = s.CheckTemplate(ctx, &j, fmt.Sprintf("nodes[%d].param", i), *n.Param)
		}
		if err != nil && !job.Is(err, job.NotFound) { // the keeper reports a job that is missing
			return err
		}
	}
	return nil
}
