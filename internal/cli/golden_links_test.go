package cli_test

import "testing"

// contradicted is attempts of which one has evidence against its end.
const contradicted = `{"attempts":[{"id":"99","run_id":"1152921504606846976","job_id":7,"number":1,"address":"http://10.0.0.1:9999",` +
	`"state":"lost","triggered_at":"2030-01-31T01:30:00.000Z","ended_at":"2030-01-31T01:32:00.000Z","message":"the executor is gone",` +
	`"evidence":[{"at":"2030-01-31T01:35:00.000Z","state":"succeeded","message":"42 rows","note":"came 3m0s after the attempt was recorded as lost"},` +
	`{"at":"2030-01-31T01:36:00.000Z","state":"timed_out","note":"came 4m0s after the attempt was recorded as lost"}]}]}`

// delayed is a job with a list of delays.
const delayed = `{"id":8,"namespace":"default","key":"ping","group":"ops","schedule":{"kind":"manual"},"misfire":"skip",` +
	`"handler":{"kind":"named","name":"h"},"route":"round","overlap":"serial","on_crash":"report",` +
	`"retry":{"tries":5,"delays":["10s","1m0s","0s"],"on":["failed","timed_out"]},` +
	`"children":[{"id":9,"key":"mail","on":"failure","param":"{{result}}\nof {{run_id}}"},{"id":11,"key":"clean","on":"always"}],` +
	`"enabled":false,"version":1,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`

// TestLinkCommands compares what commands show and send of retries, children and
// evidence with golden files.
func TestLinkCommands(t *testing.T) {
	t.Parallel()
	const create = "job create x --group g --manual --handler h "
	created := map[string][]string{"POST /jobs": {"201 " + delayed}}
	for _, c := range []struct {
		name    string
		args    string
		answers map[string][]string
	}{
		{"job-show-links", "job show ping", map[string][]string{"GET /jobs/ping": {"200 " + delayed}}},
		{"job-create-children", create + "--child mail:failure={{result}}~of~{{run_id}} --child clean:always --child next --child other=a=b:c", created},
		{"job-create-delays", create + "--retry-delays 10s,1m,0s --retry-on failed,timed-out --retry-jitter 0", created},
		{"job-create-delays-more", create + "--retries 5 --retry-delays 10s --retry-on lost", created},
		{"job-create-wrong-child", create + "--child Mail", nil},
		{"job-create-wrong-on", create + "--child mail:never", nil},
		{"job-create-wrong-delays", create + "--retry-delays 10s,-1s", nil},
		{"job-create-two-delays", create + "--retry-delays 10s --retry-delay 5s", nil},
		{"job-create-wrong-retry-on", create + "--retries 1 --retry-on cancelled", nil},
		{"job-create-on-nothing", create + "--retry-on failed", nil},
		{"run-show-evidence", "run show " + runID, map[string][]string{
			"GET /runs/" + runID: {"200 " + failed}, "GET /runs/" + runID + "/attempts": {"200 " + contradicted},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
