package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
)

const runJSON = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T08:00:00.000Z",` +
	`"cause":"manual","state":"planned","final":false,"tries":0,"created_at":"2030-01-31T08:00:00.000Z"}`

const jobJSON = `{"id":7,"namespace":"default","key":"report","group":"g","schedule":{"kind":"manual"},"misfire":"skip",` +
	`"handler":{"kind":"named","name":"hello"},"route":"round","overlap":"serial","overlap_scope":"executor","on_crash":"report","enabled":false,` +
	`"version":1,"created_at":"2030-01-31T08:00:00.000Z","updated_at":"2030-01-31T08:00:00.000Z"}`

func TestRoutes(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		request, body string
		status        int
		call          string // what the catalog was asked
		want          string
	}{
		{"GET /jobs", "", 200, "find jobs default/ enabled=any kind= handler= label= text= last= after= limit=100 sight={All:true Places:[]}", `{"jobs":[]}`},
		{
			"GET /jobs?namespace=team&group=g&after=a&limit=5", "", 200,
			"find jobs team/g enabled=any kind= handler= label= text= last= after=a limit=5 sight={All:true Places:[]}", `{"jobs":[]}`,
		},
		{
			"GET /jobs?template=base&calendar=works", "", 200,
			"find jobs default/ enabled=any kind= handler= label= text= last= after= limit=100 sight={All:true Places:[]} calendar=works template=base", `{"jobs":[]}`,
		},
		{"GET /jobs/report", "", 200, "job default/report", jobJSON},
		{"GET /jobs/report?namespace=team", "", 200, "job team/report", jobJSON},
		{"GET /jobs/a%2Fb", "", 200, "job default/a/b", jobJSON},
		{"DELETE /jobs/report", "", 204, "delete default/report", ""},
		{"POST /jobs/report/start", "", 200, "start default/report", jobJSON},
		{"POST /jobs/report/stop?namespace=team", "", 200, "stop team/report", jobJSON},
		{
			"POST /jobs/report/history", `{"source":"xxl_job_log","runs":[{"number":7,"state":"failed","started_at":"2020-01-01T00:00:00Z","ended_at":"2020-01-01T00:00:01Z"}]}`, 200,
			"add 1 runs of xxl_job_log to default/report, the first 7 failed", `{"added":1,"known":0,"old":0}`,
		},
		{"POST /jobs/report/trigger", "", 201, "trigger default/report with its own", runJSON},
		{"POST /jobs/report/trigger", "{}", 201, "trigger default/report with its own", runJSON},
		{"POST /jobs/report/trigger", `{"param":""}`, 201, "job default/report\ntrigger default/report with \"\"", runJSON},
		{"POST /jobs/report/trigger", `{"param":"<x>"}`, 201, "job default/report\ntrigger default/report with \"<x>\"", runJSON},
		{
			"POST /jobs/report/trigger", `{"planned_at":"2030-01-31T09:00:00+01:00","delay":"10m"}`, 201,
			"trigger default/report with its own for 2030-01-31T08:00:00Z after 10m0s", runJSON,
		},
		{"GET /runs", "", 200, "find runs / job= states=[] cause= created=any planned=any ended=any shards=false before=0 limit=100 sight={All:true Places:[]}", `{"runs":[]}`},
		{
			"GET /runs?job=report&namespace=team&state=failed&before=9&limit=3", "", 200,
			"find runs team/ job=report states=[failed] cause= created=any planned=any ended=any shards=false before=9 limit=3 sight={All:true Places:[]}", `{"runs":[]}`,
		},
		{"GET /runs/1152921504606846976", "", 200, "run 1152921504606846976", strings.Replace(runJSON, `"planned_at"`, `"namespace":"default","group":"g","planned_at"`, 1)},
		{
			"GET /runs/5/attempts", "", 200, "attempts 5",
			`{"attempts":[{"id":"99","run_id":"5","job_id":7,"number":1,"address":"","state":"running","triggered_at":"2030-01-31T08:00:00.000Z",` +
				`"evidence":[{"at":"2030-01-31T08:00:00.000Z","state":"succeeded","message":"done","note":"came late"}]}]}`,
		},
		{"POST /runs/5/cancel", "", 200, `cancel 5 because ""`, runJSON},
		{"POST /runs/5/cancel", `{"reason":"wrong day"}`, 200, `cancel 5 because "wrong day"`, runJSON},
		{"GET /runs/5/log", "", 200, "log 5 attempt 0 from 1 tail 0 limit 1000", `{"from":1,"to":2,"next":3,"text":"one\ntwo\n","done":false}`},
		{"GET /runs/5/log?from=7&attempt=2", "", 200, "log 5 attempt 2 from 7 tail 0 limit 1000", `{"from":7,"to":8,"next":9,"text":"one\ntwo\n","done":false}`},
		{
			"GET /executors", "", 200, "executors",
			`{"executors":[{"namespace":"default","group":"g","address":"http://10.0.0.1:9999","lease_until":"2030-01-31T08:00:00.000Z",` +
				`"registered_at":"2030-01-31T08:00:00.000Z","seen_at":"2030-01-31T08:00:00.000Z","features":["shell"]}]}`,
		},
		{"GET /version", "", 200, "", `{"version":"1.2.3"}`},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

func TestCreateJob(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	response, body := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs?namespace=team", `{
		"key": "nightly", "group": "g", "title": "Nightly",
		"schedule": {"kind": "every", "every": "1m30s", "anchor": "2030-01-31T16:00:00+08:00"},
		"misfire": "fire_once", "handler": {"kind": "shell", "source": "echo hi"}, "param": "p",
		"route": "failover", "timeout": "30s",
		"retry": {"tries": 3, "initial": "1s", "multiplier": 1.5, "max": "1m", "jitter": 0.1, "delays": ["1s", "1m"], "on": ["lost"]},
		"overlap": "concurrent", "concurrency": 4, "overlap_scope": "executor", "labels": {"team": "data"},
		"on_crash": "rerun", "children": [{"key": "report", "on": "always", "param": "{{result}}"}], "enabled": true}`)
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("status %d: %s", response.StatusCode, body)
	}
	if got, want := response.Header.Get("Location"), "/api/v1/jobs/nightly?namespace=team"; got != want {
		t.Errorf("Location %q, want %q", got, want)
	}
	asked := f.Called()
	for _, want := range []string{
		"job team/report\n", `"namespace":"team","key":"nightly","title":"Nightly"`,
		`"every":90000000000,"anchor":"2030-01-31T08:00:00Z"`, `"misfire":"fire_once"`, `"source":"echo hi"`,
		`"param":"p"`, `"route":"failover"`, `"overlap":"concurrent","concurrency":4,"overlap_scope":"executor","labels":{"team":"data"}`, `"timeout":30000000000`,
		`"retry":{"tries":3,"initial":1000000000,"multiplier":1.5,"max":60000000000,"jitter":0.1,"delays":[1000000000,60000000000],"on":["lost"]}`,
		`"on_crash":"rerun"`, `"children":[{"job":7,"on":"always","param":"{{result}}"}]`, `"enabled":true`,
	} {
		if !strings.Contains(asked, want) {
			t.Errorf("the catalog was not asked with %q:\n%s", want, asked)
		}
	}
	if !strings.Contains(body, `"children":[{"id":7,"key":"report","on":"always","param":"{{result}}"}]`) {
		t.Errorf("the reply has not the child: %s", body)
	}
	if !strings.Contains(body, `"id":7,"namespace":"team","key":"nightly"`) {
		t.Errorf("the reply is %s", body)
	}
}

func TestHealthNeedsNoToken(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, body := resttest.Do(t, server, r)
	if response.StatusCode != http.StatusOK || strings.TrimSpace(body) != `{"status":"ok"}` {
		t.Errorf("got %d %s", response.StatusCode, body)
	}
	resttest.WantHeaders(t, response)
}
