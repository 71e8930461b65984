package workflows_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

func TestRoutesOfWorkflows(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
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
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

func TestWorkflowRunLocation(t *testing.T) {
	t.Parallel()
	response, _ := resttest.Send(t, resttest.Serve(t, &resttest.Fake{}, nil), http.MethodPost, "/api/v1/workflows/nightly/runs", "")
	if got := response.Header.Get("Location"); got != "/api/v1/workflow-runs/5" {
		t.Errorf("Location %q", got)
	}
}

// A page of large parameters ends earlier.
func TestPageOfLargeWorkflowRuns(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	_, body := resttest.Send(t, server, http.MethodGet, "/api/v1/workflow-runs?workflow=large", "")
	if n := strings.Count(body, `"workflow":`); n != 4 || !strings.Contains(body, `"next":"2"`) {
		t.Errorf("%d runs in %d bytes", n, len(body))
	}
}

// What does not fit its schema never reaches the keeper.
func TestWorkflowsThatAreWrong(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
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
		response, body := resttest.Send(t, server, method, "/api/v1"+path, c.body)
		p, asked := resttest.WantProblem(t, response, body), f.Called()
		if p.Code != job.Invalid || p.Field != c.field || !strings.Contains(p.Detail, c.detail) || asked != "" {
			t.Errorf("%s %s: asked %q, got %+v", c.request, c.body, asked, p)
		}
	}
}
