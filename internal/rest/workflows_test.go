package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

func (f *fake) SaveWorkflow(_ context.Context, w job.Workflow) (job.Workflow, error) {
	err := f.note("save workflow %s/%s %q with %+v over %d", w.Namespace, w.Key, w.Title, w.Nodes, w.Version)
	return aWorkflow(), err
}

func (f *fake) DeleteWorkflow(_ context.Context, namespace, key string) error {
	return f.note("delete workflow %s/%s", namespace, key)
}

func (f *fake) Workflow(_ context.Context, namespace, key string) (job.Workflow, error) {
	return aWorkflow(), f.note("workflow %s/%s", namespace, key)
}

func (f *fake) Workflows(_ context.Context, namespace string) ([]job.Workflow, error) {
	bare := aWorkflow()
	bare.Nodes = nil
	return []job.Workflow{bare}, f.note("workflows %s", namespace)
}

func (f *fake) StartWorkflow(_ context.Context, namespace, key, param string, plannedAt time.Time) (job.WorkflowRun, error) {
	return aWorkflowRun(5), f.note("start workflow %s/%s with %q for %s", namespace, key, param, plannedAt.Format(time.RFC3339))
}

func (f *fake) CancelWorkflowRun(_ context.Context, id int64, reason string) (job.WorkflowRun, error) {
	return aWorkflowRun(id), f.note("cancel workflow run %d because %q", id, reason)
}

func (f *fake) ResumeWorkflowRun(_ context.Context, id int64) (job.WorkflowRun, error) {
	return aWorkflowRun(id), f.note("resume workflow run %d", id)
}

func (f *fake) WorkflowRun(_ context.Context, id int64) (job.WorkflowRun, error) {
	return aWorkflowRun(id), f.note("workflow run %d", id)
}

// WorkflowRuns has five of them, in pages, each with a megabyte of parameter when
// the key says so.
func (f *fake) WorkflowRuns(_ context.Context, q workflow.Filter) ([]job.WorkflowRun, error) {
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
	return found, f.note("workflow runs %+v", q)
}

func aWorkflow() job.Workflow {
	return job.Workflow{
		ID: 3, Namespace: "default", Key: "nightly", Title: "Nightly", Total: 2, Version: 4, CreatedAt: instant, UpdatedAt: instant,
		Nodes: []job.WorkflowNode{
			{Name: "a", Job: "x"}, {Name: "b", Job: "y", Join: job.JoinAny, After: []job.WorkflowEdge{{Node: "a", On: job.OnFailure}}},
		},
	}
}

func aWorkflowRun(id int64) job.WorkflowRun {
	return job.WorkflowRun{
		ID: id, WorkflowID: 3, Namespace: "default", Workflow: "nightly", Version: 4, State: job.WorkflowRunning, Generation: 1,
		Total: 1, CreatedAt: instant, Nodes: []job.NodeRun{{
			WorkflowNode: job.WorkflowNode{Name: "a", Job: "x"}, JobID: 8, State: job.NodeRunning, RunID: 9, Generation: 1, StartedAt: instant,
		}},
	}
}

func TestRoutesOfWorkflows(t *testing.T) {
	t.Parallel()
	f := &fake{}
	server := serve(t, f, nil)
	const at = `"2030-01-31T08:00:00.000Z"`
	const head, tail = `{"namespace":"default","key":"nightly","title":"Nightly",`, `"total":2,"version":4,"created_at":` + at + `,"updated_at":` + at + `}`
	const whole = head + `"nodes":[{"name":"a","job":"x"},{"name":"b","job":"y","join":"any","after":[{"node":"a","on":"failure"}]}],` + tail
	run := func(id int, nodes string) string {
		return fmt.Sprintf(`{"id":"%d","namespace":"default","workflow":"nightly","version":4,"state":"running","final":false,`+
			`"generation":1,"total":1,"done":0,"failed":0,%s"created_at":%s}`, id, nodes, at)
	}
	const nodes = `"nodes":[{"name":"a","job":"x","state":"running","run_id":"9","generation":1,"started_at":` + at + `}],`
	for _, c := range []struct {
		request, body string
		status        int
		call          string
		want          string
	}{
		{"GET /workflows?namespace=team", "", 200, "workflows team", `{"workflows":[` + head + tail + `]}`},
		{"GET /workflows/nightly", "", 200, "workflow default/nightly", whole},
		{"DELETE /workflows/nightly", "", 204, "delete workflow default/nightly", ""},
		{
			"PUT /workflows/nightly?namespace=team", `{"title":"N","nodes":[{"name":"a","job":"x"},{"name":"b","job":"y","join":"2","after":[{"node":"a"}]}],"version":3}`,
			200, `save workflow team/nightly "N" with [{Name:a Job:x Param:<nil> Join: After:[]} {Name:b Job:y Param:<nil> Join:2 After:[{Node:a On:}]}] over 3`, whole,
		},
		{"POST /workflows/nightly/runs", "", 201, `start workflow default/nightly with "" for 0001-01-01T00:00:00Z`, run(5, nodes)},
		{
			"POST /workflows/nightly/runs?namespace=team", `{"param":"p","planned_at":"2030-01-31T09:00:00+01:00"}`, 201,
			`start workflow team/nightly with "p" for 2030-01-31T08:00:00Z`, run(5, nodes),
		},
		{"GET /workflow-runs/7", "", 200, "workflow run 7", run(7, nodes)},
		{"POST /workflow-runs/7/cancel", "", 200, `cancel workflow run 7 because ""`, run(7, nodes)},
		{"POST /workflow-runs/7/cancel", `{"reason":"enough"}`, 200, `cancel workflow run 7 because "enough"`, run(7, nodes)},
		{"POST /workflow-runs/7/resume", "", 200, "resume workflow run 7", run(7, nodes)},
		{
			"GET /workflow-runs?limit=2", "", 200, "workflow runs {Sight:{All:true Places:[]} Namespace:default Workflow: Before:0 Limit:2}",
			`{"runs":[` + run(5, "") + `,` + run(4, "") + `],"next":"4"}`,
		},
		{
			"GET /workflow-runs?workflow=nightly&namespace=team&before=2", "", 200,
			"workflow runs {Sight:{All:true Places:[]} Namespace:team Workflow:nightly Before:2 Limit:100}", `{"runs":[` + run(1, "") + `]}`,
		},
	} {
		wantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

func TestWorkflowRunLocation(t *testing.T) {
	t.Parallel()
	response, _ := send(t, serve(t, &fake{}, nil), http.MethodPost, "/api/v1/workflows/nightly/runs", "")
	if got := response.Header.Get("Location"); got != "/api/v1/workflow-runs/5" {
		t.Errorf("Location %q", got)
	}
}

// A page of large parameters ends earlier.
func TestPageOfLargeWorkflowRuns(t *testing.T) {
	t.Parallel()
	f := &fake{}
	server := serve(t, f, nil)
	_, body := send(t, server, http.MethodGet, "/api/v1/workflow-runs?workflow=large", "")
	if n := strings.Count(body, `"workflow":`); n != 4 || !strings.Contains(body, `"next":"2"`) {
		t.Errorf("%d runs in %d bytes", n, len(body))
	}
}

// What does not fit its schema never reaches the keeper.
func TestWorkflowsThatAreWrong(t *testing.T) {
	t.Parallel()
	f := &fake{}
	server := serve(t, f, nil)
	for _, c := range []struct{ request, body, field, detail string }{
		{"PUT /workflows/w", `{}`, "nodes", "is missing"},
		{"PUT /workflows/w", `{"nodes":[]}`, "nodes", ""},
		{"PUT /workflows/w", `{"nodes":[{"name":"a"}]}`, "nodes[0].job", "is missing"},
		{"PUT /workflows/w", `{"nodes":[{"name":"a","job":"x","join":"most"}]}`, "nodes[0].join", "all, any, or a number"},
		{"PUT /workflows/w", `{"nodes":[{"name":"a","job":"x","after":[{"node":"b","on":"maybe"}]}]}`, "nodes[0].after[0].on", "success"},
		{"PUT /workflows/w", `{"nodes":[{"name":"a","job":"x","state":"running"}]}`, "nodes[0].state", "not a field"},
		{"POST /workflows/w/runs", `{"params":"x"}`, "params", "not a field"},
		{"GET /workflow-runs/x", "", "id", "the digits of a workflow run's id"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		response, body := send(t, server, method, "/api/v1"+path, c.body)
		p, asked := wantProblem(t, response, body), f.called()
		if p.Code != job.Invalid || p.Field != c.field || !strings.Contains(p.Detail, c.detail) || asked != "" {
			t.Errorf("%s %s: asked %q, got %+v", c.request, c.body, asked, p)
		}
	}
}
