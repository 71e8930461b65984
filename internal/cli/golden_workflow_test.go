package cli_test

import (
	"strings"
	"testing"
)

const (
	flowNodes = `"nodes":[{"name":"tell","job":"send-mail","join":"any","after":[{"node":"extract","on":"failure"},{"node":"load","on":"always"}]},` +
		`{"name":"extract","job":"etl-extract"},{"name":"load","job":"etl-load","param":"{{param}}","after":[{"node":"extract"}]},` +
		`{"name":"check","job":"etl-check","join":"2","after":[{"node":"extract"},{"node":"load","on":"success"}]}]`
	flow = `{"namespace":"default","key":"nightly","title":"Nightly load",` + flowNodes + `,"total":4,"version":3,` +
		`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-02T00:00:00.000Z"}`
	flowHead = `{"id":"12","namespace":"default","workflow":"nightly","version":3,`
	flowBare = flowHead + `"state":"failed","final":true,"reason":"node load has failed","planned_at":"2030-01-31T00:00:00.000Z","param":"2030-01-31",` +
		`"generation":2,"total":4,"done":4,"failed":1,"created_at":"2030-01-31T01:00:00.000Z","ended_at":"2030-01-31T01:00:09.000Z"}`
	flowFailed = flowHead + `"state":"failed","final":true,"reason":"node load has failed","planned_at":"2030-01-31T00:00:00.000Z","param":"2030-01-31",` +
		`"generation":2,"total":4,"done":4,"failed":1,"nodes":[` +
		`{"name":"tell","job":"send-mail","join":"any","after":[{"node":"extract","on":"failure"},{"node":"load","on":"always"}],"state":"succeeded",` +
		`"run_id":"103","generation":1,"result":"told","started_at":"2030-01-31T01:00:07.000Z","ended_at":"2030-01-31T01:00:09.000Z"},` +
		`{"name":"extract","job":"etl-extract","state":"succeeded","run_id":"101","generation":1,"result":"a.csv",` +
		`"started_at":"2030-01-31T01:00:00.000Z","ended_at":"2030-01-31T01:00:02.500Z"},` +
		`{"name":"load","job":"etl-load","param":"{{param}}","after":[{"node":"extract"}],"state":"failed","run_id":"102","generation":2,` +
		`"reason":"run 102: timed out: too slow","started_at":"2030-01-31T01:00:02.500Z","ended_at":"2030-01-31T01:00:07.000Z"},` +
		`{"name":"check","job":"etl-check","join":"2","after":[{"node":"extract"},{"node":"load","on":"success"}],"state":"skipped","generation":2,` +
		`"reason":"not reached: load has failed","ended_at":"2030-01-31T01:00:07.000Z"}],` +
		`"created_at":"2030-01-31T01:00:00.000Z","ended_at":"2030-01-31T01:00:09.000Z"}`
	flowBegun = flowHead + `"state":"running","final":false,"generation":1,"total":1,"done":0,"failed":0,` +
		`"nodes":[{"name":"extract","job":"etl-extract","state":"waiting","generation":1}],"created_at":"2030-01-31T01:00:00.000Z"}`
	flowDone = flowHead + `"state":"succeeded","final":true,"generation":1,"total":1,"done":1,"failed":0,` +
		`"nodes":[{"name":"extract","job":"etl-extract","state":"succeeded","run_id":"101","generation":1,` +
		`"started_at":"2030-01-31T01:00:00.000Z","ended_at":"2030-01-31T01:00:02.500Z"}],` +
		`"created_at":"2030-01-31T01:00:00.000Z","ended_at":"2030-01-31T01:00:02.500Z"}`
	// flowOdd has a cycle and an edge to nowhere, as no server sends them.
	flowOdd = flowHead + `"state":"running","final":false,"generation":1,"total":3,"done":0,"failed":0,"nodes":[` +
		`{"name":"a","job":"x","after":[{"node":"b"}],"state":"waiting","generation":1},{"name":"b","job":"x","after":[{"node":"a"}],"state":"waiting","generation":1},` +
		`{"name":"c","job":"x","after":[{"node":"gone"}],"state":"waiting","generation":1}],"created_at":"2030-01-31T01:00:00.000Z"}`
)

// TestWorkflowCommands compares what the commands about workflows show and send
// with golden files.
func TestWorkflowCommands(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	const save = "PUT /workflows/nightly"
	older := strings.Replace(flowFailed, `"version":3`, `"version":2`, 1)
	for _, c := range []struct {
		name    string
		args    string // split at blanks; ~ stands for a blank inside
		answers answers
	}{
		{"workflow-list", "workflow list", answers{"GET /workflows": {`200 {"workflows":[` + strings.Replace(flow, flowNodes+",", "", 1) + `]}`}}},
		{"workflow-list-none", "workflow list", answers{"GET /workflows": {`200 {"workflows":[]}`}}},
		{"workflow-list-none-json", "workflow list -o json", answers{"GET /workflows": {`200 {"workflows":[]}`}}},
		{"workflow-save", "workflow save nightly --file testdata/nightly.yaml", answers{save: {"200 " + flow}}},
		{"workflow-save-cycle", "workflow save nightly --file testdata/nightly.yaml", answers{save: {
			`422 {"code":"invalid","detail":"wait for each other in a cycle: a → b → a","field":"nodes","hint":"take one of these edges out"}`,
		}}},
		{"workflow-save-stdin", "workflow save nightly --file -", answers{save: {"200 " + flow}}},
		{"workflow-save-missing", "workflow save nightly --file testdata/nowhere.yaml", nil},
		{"workflow-delete", "workflow delete nightly --yes", answers{"DELETE /workflows/nightly": {"204 "}}},
		{"workflow-show-new", "workflow show nightly", answers{"GET /workflows/nightly": {"200 " + flow}, "GET /workflow-runs": {`200 {"runs":[]}`}}},
		{"workflow-show", "workflow show nightly", answers{
			"GET /workflows/nightly": {"200 " + flow}, "GET /workflow-runs": {`200 {"runs":[` + flowBare + `]}`}, "GET /workflow-runs/12": {"200 " + flowFailed},
		}},
		{"workflow-show-older", "workflow show nightly", answers{
			"GET /workflows/nightly": {"200 " + flow}, "GET /workflow-runs": {`200 {"runs":[` + flowBare + `]}`}, "GET /workflow-runs/12": {"200 " + older},
		}},
		{"workflow-show-json", "workflow show nightly -o json", answers{"GET /workflows/nightly": {"200 " + flow}}},
		{"workflow-show-run", "workflow show nightly --run 12", answers{"GET /workflow-runs/12": {"200 " + flowFailed}}},
		{"workflow-show-run-json", "workflow show nightly --run 12 -o json", answers{"GET /workflow-runs/12": {"200 " + flowDone}}},
		{"workflow-show-run-odd", "workflow show nightly --run 12", answers{"GET /workflow-runs/12": {"200 " + flowOdd}}},
		{"workflow-show-run-of-another", "workflow show other --run 12", answers{"GET /workflow-runs/12": {"200 " + flowDone}}},
		{"workflow-run", "workflow run nightly --param x~y --planned-at 2030-01-31~08:00", answers{"POST /workflows/nightly/runs": {"201 " + flowBegun}}},
		{"workflow-run-wait", "workflow run nightly --wait", answers{
			"POST /workflows/nightly/runs": {"201 " + flowBegun}, "GET /workflow-runs/12": {"200 " + flowBegun, "503 {}", "200 " + flowDone},
		}},
		{"workflow-run-wait-failed", "workflow run nightly --wait -o json", answers{
			"POST /workflows/nightly/runs": {"201 " + flowBegun}, "GET /workflow-runs/12": {"200 " + flowFailed},
		}},
		{"workflow-run-wait-gone", "workflow run nightly --wait", answers{"POST /workflows/nightly/runs": {"201 " + flowBegun}}},
		{"workflow-runs", "workflow runs nightly --limit 2", answers{"GET /workflow-runs": {`200 {"runs":[` + flowBare + `],"next":"12"}`, `200 {"runs":[` + flowBegun + `]}`}}},
		{"workflow-runs-none", "workflow runs", answers{"GET /workflow-runs": {`200 {"runs":[]}`}}},
		{"workflow-runs-json", "workflow runs -o json", answers{"GET /workflow-runs": {`200 {"runs":[` + flowBare + `]}`}}},
		{"workflow-cancel", "workflow cancel 12 --reason wrong~day", answers{"POST /workflow-runs/12/cancel": {"200 " + strings.Replace(flowBegun, "running", "cancelling", 1)}}},
		{"workflow-resume", "workflow resume 12 -o json", answers{"POST /workflow-runs/12/resume": {"200 " + flowBegun}}},
		{"workflow-resume-running", "workflow resume 12", answers{"POST /workflow-runs/12/resume": {`409 {"code":"conflict","detail":"workflow run 12 is running"}`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}

// TestWorkflowFiles refuses files that cannot be meant before a server is asked.
func TestWorkflowFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"empty.yaml":   {" \n", "is empty"},
		"large.yaml":   {strings.Repeat("#", 512<<10+1), "is larger than 512 KiB"},
		"broken.yaml":  {"nodes: [", "invalid YAML or JSON: line 1"},
		"broken.json":  {`{"nodes": [}`, "invalid YAML or JSON"},
		"text.yaml":    {"just text", "invalid YAML or JSON"},
		"none.yaml":    {"title: x", "nodes: must be a list of nodes"},
		"map.yaml":     {"nodes: {a: b}", "nodes: must be a list of nodes"},
		"word.yaml":    {"nodes: [a]", "nodes[0]: must be a node"},
		"field.yaml":   {"nodes: [{name: a, job: b, needs: c}]", `invalid workflow: unknown field "needs"`},
		"after.yaml":   {"nodes: [{name: a, job: b, after: 5}]", "nodes[0].after: must be a list"},
		"title.yaml":   {"title: [x]\nnodes: [{name: a, job: b}]", "invalid workflow: "},
		"numbers.yaml": {"1: x\nnodes: [{name: a, job: b}]", "invalid workflow"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newFake(t, nil)
			r := orth(t.Context(), server.env(), "workflow", "save", "w", "--file", writeFile(t, dir, name, c.text))
			if r.code != 1 || !strings.Contains(r.stderr, c.want) || !strings.Contains(r.stderr, name) || server.seen() != "" {
				t.Errorf("exit code %d, asked %q, said %s", r.code, server.seen(), r.stderr)
			}
		})
	}
}

// What the server shows of a workflow can be saved again.
func TestSaveWhatWasShown(t *testing.T) {
	t.Parallel()
	server := newFake(t, map[string][]string{"PUT /workflows/copy": {"200 " + flow}})
	r := orth(t.Context(), server.env(), "workflow", "save", "copy", "--file", writeFile(t, t.TempDir(), "shown.json", flow))
	want := `PUT /api/v1/workflows/copy?namespace=default {"title":"Nightly load",` + flowNodes + `}`
	if r.code != 0 || server.seen() != want {
		t.Errorf("exit code %d, said %s\nsent %s\nwant %s", r.code, r.stderr, server.seen(), want)
	}
}

func TestWrongWorkflowLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"workflow save w":                     "--file is required",
		"workflow save":                       "KEY is required: orth workflow save KEY",
		"workflow show w --run last":          `--run: "last" is not an id of a workflow run`,
		"workflow run w --planned-at soon":    `--planned-at: "soon" is not a time`,
		"workflow runs --limit 0":             "--limit: must be at least 1, got 0",
		"workflow cancel last":                `ID: "last" is not an id of a workflow run`,
		"workflow resume 0":                   `ID: "0" is not an id of a workflow run`,
		"workflow runs a b":                   "too many arguments: orth workflow runs [KEY]",
		"workflow show w --run 0":             `--run: "0" is not an id`,
		"workflow start w":                    `unknown command "start"`,
		"workflow cancel 5 --because because": "unknown flag: --because",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			wrong(t, line, want)
		})
	}
}
