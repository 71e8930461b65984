package cli_test

import (
	"strings"
	"testing"
)

const (
	// changedReport is the job report after an edit.
	changedReport = `{"id":7,"namespace":"default","key":"report","group":"reports","schedule":{"kind":"every","every":"5s"},"misfire":"skip",` +
		`"handler":{"kind":"named","name":"report"},"route":"round","overlap":"serial","on_crash":"report","enabled":true,"version":5,` +
		`"next_at":"2030-02-01T01:30:00.000Z","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-03T00:00:00.000Z"}`
	follower = `{"id":11,"namespace":"default","key":"follower","group":"ops","schedule":{"kind":"manual"},"misfire":"skip",` +
		`"template":"report","route":"round","overlap":"serial","on_crash":"report","enabled":false,"version":1,` +
		`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
	pinned = `{"id":12,"namespace":"default","key":"pinned","group":"ops","schedule":{"kind":"manual"},"misfire":"skip",` +
		`"handler":{"kind":"named","name":"report"},"template":"report","template_version":4,"route":"round","overlap":"serial","on_crash":"report",` +
		`"retry":{"tries":2,"delays":["1s","1m0s"]},"enabled":false,"version":2,` +
		`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
)

// TestEditCommands compares what the commands that change and copy jobs show and
// send with golden files.
func TestEditCommands(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	edit := answers{"GET /jobs/report": {"200 " + report}, "PATCH /jobs/report": {"200 " + changedReport}}
	ofPinned := answers{"GET /jobs/pinned": {"200 " + pinned}, "PATCH /jobs/pinned": {"200 " + pinned}}
	copies := answers{"POST /jobs/report/copies": {`200 {"made":1,"failed":1,"copies":[{"key":"report-0","id":12},` +
		`{"key":"report-1","error":{"title":"It exists already, or changed meanwhile","status":409,"code":"conflict","detail":"job report-1 exists already"}}]}`}}
	one := answers{"POST /jobs/report/copies": {`200 {"made":1,"failed":0,"copies":[{"key":"other","id":12}]}`}}
	for _, c := range []struct {
		name    string
		args    string // as in TestCommands
		answers answers
	}{
		{"job-edit-one", "job edit report --param=", edit},
		{"job-edit-many", "job edit report --title New --group g --route first --overlap serial --timeout 1m --misfire skip --label a=1 --child ping:always " +
			"--stop-after 3 --misfire-threshold 1m --priority high --deadline 1h --select zone=eu --on-crash rerun --rename other", edit},
		{"job-edit-cron", "job edit report --cron 0~0~3~*~*~?", edit},
		{"job-edit-every", "job edit report --every 5s --jitter 1s", edit},
		{"job-edit-bounds", "job edit report --from 2030-01-01T08:00 --zone Asia/Shanghai --calendar cn --dst quartz --count 3", edit},
		{"job-edit-from-in-zone", "job edit report --until 2031-01-01T08:00", edit},
		{"job-edit-script", "job edit report --shell-file -", edit},
		{"job-edit-retries", "job edit report --retries 5", edit},
		{"job-edit-no-retries", "job edit report --retries 0", edit},
		{"job-edit-retry-delays", "job edit report --retry-delays 1s,1m", edit},
		{"job-edit-retry-delay", "job edit pinned --retry-delay 3s", ofPinned},
		{"job-edit-first-retries", "job edit ping --retries 2", answers{"GET /jobs/ping": {"200 " + ping}, "PATCH /jobs/ping": {"200 " + ping}}},
		{"job-edit-template", "job edit report --template base --template-version 3", edit},
		{"job-edit-unset", "job edit report --unset timeout --unset labels.team --unset calendar --unset retry.max --unset template --handler own", edit},
		{"job-edit-version", "job edit report --title x --if-version 3", answers{
			"GET /jobs/report": {"200 " + report}, "PATCH /jobs/report": {`409 {"code":"conflict","detail":"job report has version 4 by now","hint":"look at the job"}`},
		}},
		{"job-edit-rename", "job edit ping --rename pong", answers{"GET /jobs/ping": {"200 " + ping}, "PATCH /jobs/ping": {"200 " + strings.NewReplacer(`"key":"ping"`, `"key":"pong"`, `"version":1`, `"version":2`).Replace(ping)}}},
		{"job-edit-same", "job edit pinned --title x", ofPinned},
		{"job-edit-json", "job edit report --title x -o json", edit},
		{"job-edit-file", "job edit report --file testdata/job-whole.json", edit},
		{"job-edit-file-part", "job edit report --file testdata/job-part.json --if-version 2", edit},
		{"job-edit-file-of-another", "job edit ping --file testdata/job-whole.json", answers{"GET /jobs/ping": {"200 " + ping}}},
		{"job-edit-file-no-object", "job edit report --file testdata/job-list.json", edit},
		{"job-edit-file-and-flag", "job edit report --file x.json --zone UTC", nil},
		{"job-edit-nothing", "job edit report", nil},
		{"job-edit-set-and-unset", "job edit report --timeout 5s --unset timeout", edit},
		{"job-edit-wrong-limit", "job edit ping --misfire-max 3", answers{"GET /jobs/ping": {"200 " + ping}}},
		{"job-edit-wrong-kinds", "job edit report --manual --every 5s", edit},
		{"job-edit-wrong-dst", "job edit ping --dst wall", answers{"GET /jobs/ping": {"200 " + ping}}},
		{"job-create-template", "job create follower --group ops --manual --template report --param x", answers{"POST /jobs": {"201 " + follower}}},
		{"job-create-pinned", "job create pinned --group ops --manual --template report --template-version 4", answers{"POST /jobs": {"201 " + pinned}}},
		{"job-create-template-and-handler", "job create x --group ops --manual --template report --handler h", nil},
		{"job-create-version-alone", "job create x --group ops --manual --handler h --template-version 4", nil},
		{"job-show-follower", "job show follower", answers{"GET /jobs/follower": {"200 " + follower}}},
		{"job-show-pinned", "job show pinned", answers{"GET /jobs/pinned": {"200 " + pinned}}},
		{"job-list-templates", "job list", answers{"GET /jobs": {`200 {"jobs":[` + follower + `,` + pinned + `]}`}}},
		{"job-copy", "job copy report other", one},
		{"job-copy-json", "job cp report other -o json", one},
		{"job-copy-params", "job copy report --params a,,c --as-instances --key-template {origin}-{index}", copies},
		{"job-copy-dry", "job copy report --params a,b --dry-run", copies},
		{"job-copy-file", "job copy report --file testdata/job-tasks.json", copies},
		{"job-copy-wrong-file", "job copy report --file testdata/job-list.json", nil},
		{"job-copy-nothing", "job copy report", nil},
		{"job-copy-twice", "job copy report other --params a", nil},
		{"job-copy-key-twice", "job copy report other --key-template a", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
