package api

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

// A workflow comes out of the API as it went in.
func TestWorkflowRoundTrip(t *testing.T) {
	t.Parallel()
	const text = `{"title":"Nightly","nodes":[{"name":"extract","job":"etl"},` +
		`{"name":"load","job":"etl","param":"{{nodes.extract.result}}","join":"any","after":[{"node":"extract","on":"always"}]}],"version":3}`
	var wanted NewWorkflow
	if err := json.Unmarshal([]byte(text), &wanted); err != nil {
		t.Fatal(err)
	}
	w := wanted.Workflow()
	param := "{{nodes.extract.result}}"
	want := job.Workflow{Title: "Nightly", Version: 3, Nodes: []job.WorkflowNode{
		{Name: "extract", Job: "etl"},
		{Name: "load", Job: "etl", Param: &param, Join: job.JoinAny, After: []job.WorkflowEdge{{Node: "extract", On: job.OnAlways}}},
	}}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	shown := FromWorkflow(w)
	back, err := json.Marshal(NewWorkflow{Title: shown.Title, Nodes: shown.Nodes, Version: shown.Version})
	if err != nil || string(back) != text {
		t.Errorf("shown %s, %v", back, err)
	}
}

func TestFromWorkflowRun(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)
	r := job.WorkflowRun{
		ID: 7, WorkflowID: 3, Namespace: "default", Workflow: "nightly", Version: 2, State: job.WorkflowFailed, Reason: "why",
		PlannedAt: at, Param: "p", Generation: 2, Total: 1, Done: 1, Failed: 1, CreatedAt: at, EndedAt: at,
		Nodes: []job.NodeRun{{
			WorkflowNode: job.WorkflowNode{Name: "a", Job: "b"}, JobID: 5, State: job.NodeFailed, RunID: 9, Generation: 2,
			Reason: "because", Result: "none", StartedAt: at, EndedAt: at,
		}},
	}
	text, err := json.Marshal(FromWorkflowRun(r))
	const instant = `"2030-01-31T08:00:00.000Z"`
	want := `{"id":"7","namespace":"default","workflow":"nightly","version":2,"state":"failed","final":true,"reason":"why",` +
		`"planned_at":` + instant + `,"param":"p","generation":2,"total":1,"done":1,"failed":1,"nodes":[{"name":"a","job":"b",` +
		`"state":"failed","run_id":"9","generation":2,"reason":"because","result":"none","started_at":` + instant + `,"ended_at":` + instant + `}],` +
		`"created_at":` + instant + `,"ended_at":` + instant + `}`
	if err != nil || string(text) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, text, want)
	}
}
