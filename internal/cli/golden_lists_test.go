package cli_test

import (
	"strings"
	"testing"
)

func TestListCommands(t *testing.T) {
	t.Parallel()
	const (
		reports = `{"namespace":"default","key":"reports","title":"Reports of the finance team","created_at":"2030-01-01T00:00:00.000Z",` +
			`"executors":3,"alive":2,"draining":1,"jobs":7,"running":4,"waiting":11}`
		edge = `{"namespace":"default","key":"edge","own_token_only":true,"created_at":"2030-01-02T00:00:00.000Z",` +
			`"executors":0,"alive":0,"draining":0,"jobs":0,"running":0,"waiting":0}`
	)
	away := strings.ReplaceAll(reports, `"namespace":"default","key":"reports"`, `"namespace":"team-a","key":"away"`)
	type answers = map[string][]string
	groups := func() answers {
		return answers{"GET /groups": {`200 {"groups":[` + edge + `],"next":"edge"}`, `200 {"groups":[` + reports + `]}`}}
	}
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"group-list", "group list", groups()},
		{"group-list-wide", "group list -o wide", groups()},
		{"group-list-limit", "group list --limit 1", answers{"GET /groups": {`200 {"groups":[` + edge + `],"next":"edge"}`}}},
		{"group-list-none", "group list", answers{"GET /groups": {`200 {"groups":[]}`}}},
		{"group-list-all", "group list --all-namespaces", answers{"GET /groups": {`200 {"groups":[` + edge + `],"next":"edge"}`, `200 {"groups":[` + away + `]}`}}},
		{"group-list-all-wide", "group list --all-namespaces -o wide", answers{"GET /groups": {`200 {"groups":[` + edge + `,` + away + `]}`}}},
		{"group-list-all-none", "group list --all-namespaces", answers{"GET /groups": {`200 {"groups":[]}`}}},
		{"group-list-other", "group list --namespace team-a", answers{"GET /groups": {`200 {"groups":[` + away + `]}`}}},
		{"group-edit-move", "group edit edge --move-to team-a", answers{"PATCH /groups/edge": {"200 " + strings.Replace(edge, "default", "team-a", 1)}}},
		{"group-edit-move-title", "group edit edge --move-to team-a --title Edge --label owner=data", answers{"PATCH /groups/edge": {"200 " + strings.Replace(edge, "default", "team-a", 1)}}},
		{"group-edit-move-refused", "group edit edge --move-to team-a", answers{"PATCH /groups/edge": {`403 {"code":"forbidden","detail":"mia lacks the right of own in the namespace team-a"}`}}},
		{"group-list-wrong", "group list --limit 0", nil},
		{"group-show", "group show reports", answers{"GET /groups/reports": {"200 " + reports}}},
		{"group-show-json", "group show reports -o json", answers{"GET /groups/reports": {"200 " + reports}}},
		{"group-create", "group create edge --title Edge", answers{"POST /groups": {"201 " + edge}}},
		{"group-delete", "group delete edge --yes", answers{"DELETE /groups/edge": {"204 "}}},
		{"group-delete-used", "group delete edge --yes", answers{"DELETE /groups/edge": {`409 {"code":"conflict","detail":"group edge still has jobs: move or delete them first"}`}}},
		{"group-edit-title", "group edit edge --title Edge", answers{"PATCH /groups/edge": {`200 {"group":"edge","own_token_only":false}`}}},
		{"run-rerun", "run rerun " + runID, answers{"POST /runs/" + runID + "/rerun": {"201 " + planned}}},
		{"run-rerun-param", "run rerun " + runID + " --param=", answers{"POST /runs/" + runID + "/rerun": {"201 " + planned}}},
		{"run-rerun-open", "run rerun " + runID, answers{"POST /runs/" + runID + "/rerun": {`409 {"code":"conflict","detail":"run 5 is not over: its state is running","hint":"wait for its end, or cancel it"}`}}},
		{"run-list-narrow", "run list --state failed,timed-out --cause manual --group reports --since 2030-01-31T01:00:00Z --until 2030-02-01T01:00:00Z", answers{"GET /runs": {`200 {"runs":[` + failed + `]}`}}},
		{"run-list-reasons", "run list", answers{"GET /runs": {`200 {"runs":[` + reasoned("6", "succeeded") + `,` + reasoned("7", "queued") + `,` + reasoned("8", "skipped") + `]}`}}},
		{"run-list-wrong-state", "run list --state done", nil},
		{"run-list-wrong-since", "run list --since someday", nil},
		{"run-list-sparse", "run list", answers{"GET /runs": {`200 {"runs":[],"next":"77"}`, `200 {"runs":[` + failed + `]}`}}},
		{"job-list-narrow", "job list --disabled --kind cron --handler report --label team=data --text night --last timed-out", answers{"GET /jobs": {`200 {"jobs":[` + report + `]}`}}},
		{"job-list-both", "job list --disabled --enabled", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
	for _, args := range []string{"group list", "group show", "group create", "group delete", "run rerun"} {
		r := orth(t.Context(), nil, append(strings.Split(args, " "), "--help")...)
		compare(t, "help-"+strings.ReplaceAll(args, " ", "-"), r.stdout)
	}
}

// reasoned is a run with a reason and no message.
func reasoned(id, state string) string {
	return `{"id":"` + id + `","job_id":7,"job_key":"report","cause":"schedule","state":"` + state + `","final":true,"reason":"waits: the job is busy","tries":1,"created_at":"2030-01-31T01:30:00.000Z"}`
}
