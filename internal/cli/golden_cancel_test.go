package cli_test

import "testing"

// stopping is a run that is being ended on an executor that ends others with it.
const stopping = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"manual",` +
	`"state":"stopping","final":false,"reason":"wrong day; executor http://10.0.0.1:9999 cannot end one attempt alone: it ends all that it has of the job, also run 5, 6",` +
	`"message":"executor http://10.0.0.1:9999 was told to end it; its report is awaited","tries":1,"attempt_id":"99","created_at":"2030-01-31T01:30:00.000Z"}`

// stopped is the same run after its end.
const stopped = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"manual",` +
	`"state":"cancelled","final":true,"reason":"wrong day","message":"killed","tries":1,"attempt_id":"99","created_at":"2030-01-31T01:30:00.000Z",` +
	`"ended_at":"2030-01-31T01:30:09.000Z"}`

// quicker is a run that had succeeded when the wish to cancel it came.
const quicker = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"manual",` +
	`"state":"succeeded","final":true,"message":"42 rows","tries":1,"attempt_id":"99",` +
	`"created_at":"2030-01-31T01:30:00.000Z","ended_at":"2030-01-31T01:30:01.250Z"}`

// TestCancelCommands compares what a cancelled run is said to be with golden files.
func TestCancelCommands(t *testing.T) {
	t.Parallel()
	const post, get = "POST /runs/" + runID + "/cancel", "GET /runs/" + runID
	for _, c := range []struct {
		name    string
		args    string
		answers map[string][]string
	}{
		{"run-cancel-stopping", "run cancel " + runID, map[string][]string{post: {"200 " + stopping}}},
		{"run-cancel-stopping-json", "run cancel " + runID + " -o json", map[string][]string{post: {"200 " + stopping}}},
		{"run-cancel-wait", "run cancel " + runID + " --wait", map[string][]string{post: {"200 " + stopping}, get: {"200 " + stopping, "200 " + stopped}}},
		{"run-cancel-wait-over", "run cancel " + runID + " --wait", map[string][]string{post: {"200 " + stopped}}},
		{"run-cancel-too-late", "run cancel " + runID, map[string][]string{post: {"200 " + quicker}}},
		{"run-list-stopping", "run list --state stopping", map[string][]string{"GET /runs": {`200 {"runs":[` + stopping + `]}`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
