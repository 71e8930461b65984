package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// WorkflowRunQuery selects runs of workflows. The zero query selects the newest
// of all namespaces.
type WorkflowRunQuery struct {
	Workflow string // a workflow's key in the client's namespace; empty means all
	Before   api.ID // ids below this one: the Next of the page before
	Limit    int    // 1..1,000 per page. Defaults to 100.
}

// Workflows returns the workflows of the client's namespace in order of key,
// without their nodes.
func (c *Client) Workflows(ctx context.Context) ([]api.Workflow, error) {
	var list api.WorkflowList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/workflows", c.space(), nil, &list)
	return list.Workflows, err
}

// AllWorkflows is Workflows for all namespaces that the caller may see.
func (c *Client) AllWorkflows(ctx context.Context) ([]api.Workflow, error) {
	var list api.WorkflowList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/workflows", everySpace(), nil, &list)
	return list.Workflows, err
}

// Workflow returns a workflow, or job.NotFound.
func (c *Client) Workflow(ctx context.Context, key string) (api.Workflow, error) {
	var found api.Workflow
	path, err := workflowPath(key)
	if err != nil {
		return found, err
	}
	err = c.doRequest(ctx, http.MethodGet, path, c.space(), nil, &found)
	return found, err
}

// SaveWorkflow writes a workflow, a new one or over the one of its key. With a
// Version it is job.Conflict when the workflow has another one by now. A cycle is
// job.Invalid, with its path.
func (c *Client) SaveWorkflow(ctx context.Context, key string, w api.NewWorkflow) (api.Workflow, error) {
	var saved api.Workflow
	path, err := workflowPath(key)
	if err != nil {
		return saved, err
	}
	err = c.doRequest(ctx, http.MethodPut, path, c.space(), w, &saved)
	return saved, err
}

// DeleteWorkflow removes a workflow. Its runs stay; those that have begun go on.
func (c *Client) DeleteWorkflow(ctx context.Context, key string) error {
	path, err := workflowPath(key)
	if err != nil {
		return err
	}
	return c.doRequest(ctx, http.MethodDelete, path, c.space(), nil, nil)
}

// StartWorkflow starts a run of a workflow. After job.Ambiguous it may run.
func (c *Client) StartWorkflow(ctx context.Context, key string, start api.WorkflowStart) (api.WorkflowRun, error) {
	var made api.WorkflowRun
	path, err := workflowPath(key)
	if err != nil {
		return made, err
	}
	err = c.doOnce(ctx, path+"/runs", c.space(), start, &made)
	return made, err
}

// WorkflowRun returns a run of a workflow with its nodes, or job.NotFound.
func (c *Client) WorkflowRun(ctx context.Context, id api.ID) (api.WorkflowRun, error) {
	var r api.WorkflowRun
	err := c.doRequest(ctx, http.MethodGet, workflowRunPath(id), nil, nil, &r)
	return r, err
}

// WorkflowRuns returns a page of runs of workflows without their nodes, the
// newest first.
func (c *Client) WorkflowRuns(ctx context.Context, q WorkflowRunQuery) (api.WorkflowRunList, error) {
	query := c.space()
	setNonEmpty(query, "workflow", q.Workflow)
	if q.Before > 0 {
		query.Set("before", q.Before.String())
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	var list api.WorkflowRunList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/workflow-runs", query, nil, &list)
	return list, err
}

// CancelWorkflowRun cancels a run of a workflow: no further node starts, and running nodes
// are cancelled; it ends when they have ended. The reason is kept with it; it may be empty.
// A run that has ended stays as it is.
func (c *Client) CancelWorkflowRun(ctx context.Context, id api.ID, reason string) (api.WorkflowRun, error) {
	var r api.WorkflowRun
	err := c.doRequest(ctx, http.MethodPost, workflowRunPath(id)+"/cancel", nil, api.Cancel{Reason: reason}, &r)
	return r, err
}

// ResumeWorkflowRun goes on with a run of a workflow that has failed or was
// cancelled, from the nodes that made it fail. It is job.Conflict when it is not
// over, or has succeeded.
func (c *Client) ResumeWorkflowRun(ctx context.Context, id api.ID) (api.WorkflowRun, error) {
	var r api.WorkflowRun
	err := c.doRequest(ctx, http.MethodPost, workflowRunPath(id)+"/resume", nil, nil, &r)
	return r, err
}

// WaitWorkflowRun returns the run of a workflow when it is over. A server that is
// away for a while does not end the wait; the end of ctx does.
func (c *Client) WaitWorkflowRun(ctx context.Context, id api.ID) (api.WorkflowRun, error) {
	for delay := c.pace.first; ; delay = min(2*delay, c.pace.last) {
		r, err := c.WorkflowRun(ctx, id)
		if err == nil && r.Final || err != nil && !passing(err) {
			return r, err
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return r, context.Cause(ctx)
		}
	}
}

// workflowPath returns the path of a workflow; a key that none can have goes
// nowhere.
func workflowPath(key string) (string, error) {
	if err := job.CheckKey("key", key); err != nil {
		return "", err
	}
	return prefix + "/workflows/" + url.PathEscape(key), nil
}

// workflowRunPath returns the path of a run of a workflow.
func workflowRunPath(id api.ID) string { return prefix + "/workflow-runs/" + id.String() }
