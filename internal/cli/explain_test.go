package cli_test

import "testing"

const (
	whyRun = `{"question":"Why is run 1024 failed?","answer":"Run 1024 of job report failed after 2 attempts: boom.","answers":[{"code":"run_failed","text":"Run 1024 of job report failed after 2 attempts: boom."}],"zone":"Europe/Berlin","facts":[` +
		`{"kind":"param","code":"param","text":"it has a parameter of its own instead of the job's"},` +
		`{"at":"2030-01-31T01:30:00.000Z","kind":"slot","code":"slot","text":"the slot that it serves"},` +
		`{"at":"2030-01-31T01:30:00.005Z","kind":"sent","code":"sent","text":"attempt 1 was sent to http://10.0.0.1:9999, 5ms after its slot","values":{"attempt":"1","executor":"http://10.0.0.1:9999"}},` +
		`{"at":"2030-01-31T01:31:00.000Z","kind":"ended","code":"ended","text":"the run failed: \u001b[31mgave up after 1 retry","run_id":"77"}]}`
	whyJob = `{"question":"Did job report run at 2030-03-31 02:30:00 (Europe/Berlin), and why?","answer":"No.","answers":[{"code":"no","text":"No."}],"zone":"Europe/Berlin","facts":[]}`
)

func TestExplain(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"explain-run", "explain run 1024", answers{"GET /runs/1024/explanation": {"200 " + whyRun}}},
		{"explain-run-json", "why run 1024 -o json", answers{"GET /runs/1024/explanation": {"200 " + whyRun}}},
		{"explain-run-missing", "explain run 7", nil},
		{"explain-run-no-id", "explain run report", nil},
		{"explain-job", "explain job report", answers{"GET /jobs/report/explanation": {"200 " + whyJob}}},
		{"explain-job-at", "explain job report --at 2030-03-31~02:30 --namespace team", answers{"GET /jobs/report/explanation": {"200 " + whyJob}}},
		{"explain-job-wrong", "explain job report --at soon", answers{
			"GET /jobs/report/explanation": {`422 {"code":"invalid","detail":"\"soon\" is not a time","field":"at"}`},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
