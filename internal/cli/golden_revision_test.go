package cli_test

import "testing"

const (
	revisionSeven = `{"number":7,"at":"2030-01-31T01:30:00.000Z","by":{"kind":"user","name":"ada"},"operation":"update-job","note":"the new query was too slow","changed":["handler","param"],"code":true}`
	revisionSix   = `{"number":6,"at":"2030-01-30T01:30:00.000Z","by":{"kind":"group","name":"etl"},"operation":"stop-job","changed":["enabled"]}`
	revisionOne   = `{"number":1,"at":"2030-01-29T01:30:00.000Z","by":{"kind":"server"},"changed":[],"code":true}`
	revisionDiff  = `{"before":` + revisionSix + `,"after":` + revisionSeven + `,"fields":[{"field":"labels.team","before":"data"},` +
		`{"field":"param","before":"old","after":"new"},{"field":"retry.tries","after":3}],"source":"@@ -1,2 +1,2 @@\n echo 1\n-echo 2\n+echo 3\n"}`
	revisedJob = `{"id":7,"namespace":"default","key":"report","group":"g","schedule":{"kind":"manual"},"misfire":"skip","handler":{"kind":"named","name":"x"},` +
		`"route":"round","overlap":"serial","overlap_scope":"cluster","on_crash":"report","enabled":false,"version":8,` +
		`"created_at":"2030-01-31T01:30:00.000Z","updated_at":"2030-01-31T01:30:00.000Z"}`
	trialRun   = `{"id":"1024","job_id":7,"job_key":"report","cause":"trial","state":"planned","final":false,"tries":0,"created_at":"2030-01-31T01:30:00.000Z"}`
	trialEnded = `{"id":"1024","job_id":7,"job_key":"report","cause":"trial","state":"failed","final":true,"tries":1,"attempt_id":"9","message":"exit code 7",` +
		`"created_at":"2030-01-31T01:30:00.000Z","ended_at":"2030-01-31T01:30:02.000Z"}`
)

// TestRevisionCommands compares what commands show and send of revisions and trials
// with golden files.
func TestRevisionCommands(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	history := answers{"GET /jobs/report/revisions": {`200 {"revisions":[` + revisionSeven + `,` + revisionSix + `,` + revisionOne + `]}`}}
	pages := answers{"GET /jobs/report/revisions": {`200 {"revisions":[` + revisionSeven + `],"next":7}`, `200 {"revisions":[` + revisionSix + `],"next":6}`}}
	restored := answers{"POST /jobs/report/restore": {"200 " + revisedJob}}
	trying := answers{"POST /jobs/report/trial": {"201 " + trialRun}, "GET /runs/1024": {"200 " + trialEnded}}
	for _, c := range []struct {
		name    string
		args    string // as in TestCommands
		answers answers
	}{
		{"job-history", "job history report", history},
		{"job-history-pages", "job history report --limit 2 --code", pages},
		{"job-history-json", "job history report -o json", history},
		{"job-history-none", "job history report", answers{"GET /jobs/report/revisions": {`200 {"revisions":[]}`}}},
		{"job-history-show", "job history report --show 7 -o yaml", answers{
			"GET /jobs/report/revisions/7": {`200 {"number":7,"at":"2030-01-31T01:30:00.000Z","by":{"kind":"user","name":"ada"},"changed":["param"],"job":` + revisedJob + `}`},
		}},
		{"job-history-wrong-show", "job history report --show 0", nil},
		{"job-history-wrong-limit", "job history report --limit 0", nil},
		{"job-diff", "job diff report 6 7", answers{"GET /jobs/report/revisions/6/diff/7": {"200 " + revisionDiff}}},
		{"job-diff-before", "job diff report 7", answers{
			"GET /jobs/report/revisions": {`200 {"revisions":[` + revisionSix + `],"next":6}`}, "GET /jobs/report/revisions/6/diff/7": {"200 " + revisionDiff},
		}},
		{"job-diff-first", "job diff report 1", answers{"GET /jobs/report/revisions": {`200 {"revisions":[]}`}}},
		{"job-diff-same", "job diff report 6 6 ", answers{
			"GET /jobs/report/revisions/6/diff/6": {`200 {"before":` + revisionSix + `,"after":` + revisionSix + `,"fields":[]}`},
		}},
		{"job-diff-wrong", "job diff report last", nil},
		{"job-rollback", "job rollback report 3 --note too~slow --if-version 7", restored},
		{"job-rollback-json", "job rollback report 3 -o json", restored},
		{"job-rollback-gone", "job rollback report 3", answers{"POST /jobs/report/restore": {`404 {"code":"not_found","detail":"the job has no revision 3"}`}}},
		{"job-rollback-wrong", "job rollback report first", nil},
		{"job-edit-note", "job edit report --param x --note too~slow", answers{"GET /jobs/report": {"200 " + revisedJob}, "PATCH /jobs/report": {"200 " + revisedJob}}},
		{"job-try-json", "job try report --param a~b --timeout 5m --address http://10.0.0.5:9999 -o json", trying},
		{"job-try-detach", "job try report --detach", trying},
		{"job-try-full", "job try report", answers{"POST /jobs/report/trial": {`503 {"code":"full","detail":"10 trials are under way, and no more may be"}`}}},
		{"job-try-wrong-timeout", "job try report --timeout 11m", nil},
		{"job-try-wrong-kind", "job try report --kind perl", nil},
		{"job-try-kind-alone", "job try report --kind shell", nil},
		{"run-trial", "run trial 1024", answers{"GET /runs/1024/trial": {`200 {"run_id":"1024","by":{"kind":"user","name":"ada"},"timeout":"1m0s","kind":"shell","code":"echo 1\necho 2"}`}}},
		{"run-trial-own", "run trial 1024", answers{"GET /runs/1024/trial": {`200 {"run_id":"1024","by":{"kind":"user","name":"ada"},"timeout":"1m30s"}`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
