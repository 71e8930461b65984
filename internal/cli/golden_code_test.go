package cli_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const channelOfDocuments = `{"id":3,"namespace":"default","key":"ops","kind":"webhook","enabled":true,"secrets":["url"],"version":2,` +
	`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`

// TestCodeCommands compares what the commands about documents show and send with
// golden files.
func TestCodeCommands(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	have := func(more answers) answers {
		all := answers{"GET /jobs/report": {"200 " + report}, "GET /jobs/ping": {"200 " + ping}, "GET /jobs/by-hand": {"200 " + byHand}}
		maps.Copy(all, more)
		return all
	}
	fresh := strings.Replace(byHand, "by-hand", "fresh", 1)
	server := have(answers{
		"PATCH /jobs/report": {"200 " + report}, "PATCH /jobs/ping": {"200 " + ping}, "POST /jobs/report/stop": {"200 " + report}, "POST /jobs": {"201 " + fresh},
		"PATCH /jobs/fresh": {"200 " + fresh}, "POST /jobs/fresh/start": {"200 " + fresh}, "DELETE /jobs/by-hand": {"204 "},
	})
	channel := answers{"GET /alarm/channels": {`200 {"channels":[]}`}, "POST /alarm/channels": {"201 " + channelOfDocuments}}
	all := answers{
		"GET /jobs": {`200 {"jobs":[` + ping + `],"next":"ping"}`, `200 {"jobs":[` + strings.Replace(report, `"team":"data"`, `"team":"data","orth.managed":"x"`, 1) + `]}`},
		"GET /groups": {`200 {"groups":[{"namespace":"default","key":"ops","title":"Machines","labels":{"orth.managed":"x"},"version":2,` +
			`"created_at":"2030-01-01T00:00:00.000Z","executors":1,"alive":1,"draining":0,"jobs":2,"running":0,"waiting":0}]}`},
		"GET /calendars": {`200 {"calendars":[]}`}, "GET /workflows": {`200 {"workflows":[` + flow + `]}`}, "GET /workflows/nightly": {"200 " + flow},
		"GET /pauses": {`200 {"pauses":[{"key":"over","from":"2020-01-01T00:00:00.000Z","until":"2020-01-02T00:00:00.000Z","active":false,"created_at":"2020-01-01T00:00:00.000Z"},` +
			`{"key":"elsewhere","namespace":"team","from":"2020-01-01T00:00:00.000Z","active":true,"created_at":"2020-01-01T00:00:00.000Z"},` +
			`{"key":"here","groups":["ops"],"from":"2020-01-01T00:00:00.000Z","active":true,"created_at":"2020-01-01T00:00:00.000Z"}]}`},
		"GET /alarm/channels": {`200 {"channels":[` + channelOfDocuments + `]}`}, "GET /alarm/rules": {`200 {"rules":[]}`},
	}
	const folder = "testdata/code/jobs"
	for _, c := range []struct {
		name    string
		args    string // split at blanks; ~ stands for a blank inside
		answers answers
	}{
		{"code-plan", "plan -f " + folder, have(nil)},
		{"code-plan-exit", "plan -f " + folder + " --detailed-exitcode -o name", have(nil)},
		{"code-plan-json", "plan -f testdata/code/channel.yaml -o json", channel},
		{"code-plan-same", "plan -f testdata/code/channel.yaml --detailed-exitcode", answers{"GET /alarm/channels": {`200 {"channels":[` + channelOfDocuments + `]}`}}},
		{"code-plan-wrong", "plan -f testdata/code/wrong.yaml", nil},
		{"code-plan-twice", "plan -f " + folder + " -f " + folder, nil},
		{"code-plan-none", "plan", nil},
		{"code-plan-empty", "plan -f testdata/code/empty", nil},
		{"code-plan-prune", "plan -f " + folder + " --prune", nil},
		{"code-plan-prune-set", "plan -f " + folder + " --prune --set team", have(answers{"GET /jobs": {`200 {"jobs":[` + byHand + `,` + ping + `,` + report + `]}`}, "GET /groups": {`200 {"groups":[]}`}})},
		{"code-apply-group", "apply -f testdata/code/groups.yaml --yes", answers{
			"GET /groups/ops": {`200 {"namespace":"default","key":"ops","labels":{"old":"x"},"version":2}`}, "GET /groups/My.Group": {`404 {"code":"not_found","detail":"it does not exist"}`},
			"PATCH /groups/ops": {`200 {"group":"ops","version":3}`}, "POST /groups": {`201 {"namespace":"default","key":"My.Group","version":1}`},
			"PATCH /groups/My.Group": {`409 {"code":"conflict","detail":"group My.Group has no token of its own: all its executors would be refused"}`},
			"GET /pauses":            {`200 {"pauses":[{"key":"night","version":7,"from":"2020-01-01T00:00:00.000Z","active":true,"created_at":"2020-01-01T00:00:00.000Z"}]}`},
			"PUT /pauses/night":      {`200 {"key":"night","version":8,"from":"2020-01-01T00:00:00.000Z","active":true,"created_at":"2020-01-01T00:00:00.000Z"}`},
		}},
		{"code-plan-stdin", "plan -f -", nil},
		{"code-diff", "diff -f " + folder, have(nil)},
		{"code-apply", "apply -f " + folder + " --yes", server},
		{"code-apply-json", "apply -f testdata/code/channel.yaml --dry-run -o json", channel},
		{"code-apply-unasked", "apply -f " + folder, have(nil)},
		{"code-apply-failed", "apply -f " + folder + " --yes", have(answers{
			"PATCH /jobs/report": {`409 {"code":"conflict","detail":"job report has version 5 by now"}`}, "POST /jobs/report/stop": {"200 " + report}, "PATCH /jobs/ping": {"200 " + ping}, "POST /jobs": {"201 " + fresh},
		})},
		{"code-apply-secret", "apply -f testdata/code/channel.yaml --yes", channel},
		{"code-export", "export", all},
		{"code-export-group", "export --group ops", all},
		{"code-export-kind", "export --kind workflow", all},
		{"code-export-wrong-kind", "export --kind silence", nil},
		{"code-import", "import orth-json testdata/code/export.txt --group ops", nil},
		{"code-import-wrong", "import orth-json testdata/code/wrong.yaml", nil},
		{"code-import-no-number", "import orth-json testdata/code/export.txt --group-key a=b", nil},
		{"code-import-nothing", "import orth-json testdata/code/export.txt", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			copied := answers{}
			maps.Copy(copied, c.answers)
			golden(t, c.name, c.args, copied)
		})
	}
	for _, args := range []string{"plan", "diff", "apply", "export", "schema", "import", "import orth-json", "import xxl-job"} {
		r := orth(t.Context(), nil, append(strings.Split(args, " "), "--help")...)
		compare(t, "help-"+strings.ReplaceAll(args, " ", "-"), r.stdout)
	}
}

// A channel is made with the secret of the environment, which nobody is shown.
func TestApplySecret(t *testing.T) {
	t.Parallel()
	server := newFake(t, map[string][]string{"GET /alarm/channels": {`200 {"channels":[]}`}, "POST /alarm/channels": {"201 " + channelOfDocuments}})
	env := server.env()
	env["OPS_URL"] = "https://hooks.example.com/secret-word"
	r := orth(t.Context(), env, "apply", "-f", "testdata/code/channel.yaml", "--yes")
	if r.code != 0 || strings.Contains(r.stdout+r.stderr, "secret-word") || !strings.Contains(server.seen(), `"secrets":{"url":"https://hooks.example.com/secret-word"}`) {
		t.Errorf("%+v\n%s", r, server.seen())
	}
	changed := newFake(t, map[string][]string{
		"GET /alarm/channels":       {`200 {"channels":[` + strings.Replace(channelOfDocuments, `["url"]`, `["url","secret"]`, 1) + `]}`},
		"PATCH /alarm/channels/ops": {"200 " + channelOfDocuments},
	})
	env["ORTH_SERVER"] = changed.URL
	r = orth(t.Context(), env, "apply", "-f", "testdata/code/channel.yaml", "--yes")
	if want := `{"secrets":{"secret":null,"url":"https://hooks.example.com/secret-word"},"version":2}`; r.code != 0 || !strings.Contains(changed.seen(), want) {
		t.Errorf("%+v\n%s", r, changed.seen())
	}
}

// An export does not write over what somebody has changed, unless it is told to.
func TestExportFolder(t *testing.T) {
	t.Parallel()
	server := newFake(t, map[string][]string{"GET /jobs": {`200 {"jobs":[` + ping + `]}`}})
	dir := filepath.Join(t.TempDir(), "jobs")
	export := func(more ...string) result {
		return orth(t.Context(), server.env(), append([]string{"export", "--kind", "Job", dir}, more...)...)
	}
	for range 2 {
		if r := export(); r.code != 0 || !strings.Contains(r.stderr, "Exported 1 object") {
			t.Fatalf("%+v", r)
		}
	}
	script := filepath.Join(dir, "jobs", "ping.sh")
	text, err := os.ReadFile(script)
	if err != nil || !strings.HasPrefix(string(text), "#!/bin/sh\n\tcurl") {
		t.Fatalf("%q, %v", text, err)
	}
	writeFile(t, filepath.Join(dir, "jobs"), "ping.sh", "mine\n")
	if r := export(); r.code != 5 || !strings.Contains(r.stderr, "nothing was written") {
		t.Errorf("%+v", r)
	}
	if r := export("--overwrite"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if again, err := os.ReadFile(script); err != nil || !bytes.Equal(again, text) {
		t.Errorf("%q, %v", again, err)
	}
}
