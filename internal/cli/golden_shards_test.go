package cli_test

import "testing"

const (
	// scattered is a job whose runs are split.
	scattered = `{"id":9,"namespace":"default","key":"sync","group":"ops","schedule":{"kind":"manual"},"misfire":"skip",` +
		`"handler":{"kind":"named","name":"sync"},"route":"broadcast","shards":8,"overlap":"serial","on_crash":"report",` +
		`"enabled":false,"version":1,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
	// splitRun is a run of it that failed, with an attempt that no executor had.
	splitRun = `{"id":"71","job_id":9,"job_key":"sync","cause":"manual","state":"failed","final":true,` +
		`"reason":"1 of 2 shards failed; 'orth run retry-shards 71' does those again","message":"1 of 2 shards failed: 5 (run 73 failed: boom)",` +
		`"shards":{"total":8,"count":2,"open":1,"failed":1,"cancel":"wrong day"},"tries":1,"attempt_id":"99","created_at":"2030-01-31T01:30:00.000Z","ended_at":"2030-01-31T01:31:00.000Z"}`
	splitAttempts = `{"attempts":[{"id":"99","run_id":"71","job_id":9,"number":1,"address":"","state":"failed",` +
		`"triggered_at":"2030-01-31T01:30:00.000Z","ended_at":"2030-01-31T01:31:00.000Z"}]}`
	aShard = `{"id":"73","job_id":9,"job_key":"sync","cause":"shard","cause_id":"71","shard":{"index":5,"total":8},"state":"failed","final":true,` +
		`"tries":2,"attempt_id":"98","address":"http://10.0.0.2:9999","message":"boom","created_at":"2030-01-31T01:30:00.000Z","ended_at":"2030-01-31T01:31:00.000Z"}`
	theShards = `{"shards":[{"id":"72","job_id":9,"job_key":"sync","cause":"shard","cause_id":"71","shard":{"index":2,"total":8},"state":"running","final":false,` +
		`"tries":1,"address":"http://10.0.0.1:9999","reason":"shard 2 of 8 of run 71","created_at":"2030-01-31T01:30:00.000Z"},` + aShard + `]}`
)

// TestShardCommands compares what commands show and send of runs that are split
// with golden files.
func TestShardCommands(t *testing.T) {
	t.Parallel()
	const create = "job create sync --group ops --manual --handler sync "
	shown := map[string][]string{
		"GET /runs/71": {"200 " + splitRun}, "GET /runs/71/attempts": {"200 " + splitAttempts}, "GET /runs/71/shards": {"200 " + theShards},
	}
	for _, c := range []struct {
		name    string
		args    string
		answers map[string][]string
	}{
		{"job-create-shards", create + "--route broadcast --shards 8", map[string][]string{"POST /jobs": {"201 " + scattered}}},
		{"job-create-wrong-shards", create + "--route broadcast --shards 1001", nil},
		{"job-create-shards-of-another-route", create + "--shards 3", nil},
		{"job-show-shards", "job show sync", map[string][]string{"GET /jobs/sync": {"200 " + scattered}}},
		{"run-show-shards", "run show 71", shown},
		{"run-show-shards-json", "run show 71 -o json", map[string][]string{
			"GET /runs/71": {"200 " + splitRun}, "GET /runs/71/attempts": {"200 " + splitAttempts}, "GET /runs/71/shards": {"200 " + theShards},
		}},
		{"run-show-shard", "run show 73", map[string][]string{"GET /runs/73": {"200 " + aShard}, "GET /runs/73/attempts": {`200 {"attempts":[]}`}}},
		{"run-list-shards", "run list --shards", map[string][]string{"GET /runs": {`200 {"runs":[` + aShard + `]}`}}},
		{"run-retry-shards", "run retry-shards 71", map[string][]string{
			"POST /runs/71/shards/retry": {`201 {"id":"80","job_id":9,"job_key":"sync","cause":"retry","cause_id":"71","state":"running","final":false,` +
				`"reason":"does the failed shard of run 71 again","tries":1,"created_at":"2030-01-31T01:40:00.000Z"}`},
		}},
		{"run-retry-shards-twice", "run retry-shards 71", map[string][]string{
			"POST /runs/71/shards/retry": {`409 {"code":"conflict","detail":"the failed shards of run 71 are done again already","hint":"look for the run with the cause retry"}`},
		}},
		{"run-retry-shards-wrong", "run retry-shards x", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
