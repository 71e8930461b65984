package cli_test

import "testing"

// logged is a job that says what is kept of its logs.
const logged = `{"id":9,"namespace":"default","key":"alert","group":"ops","schedule":{"kind":"manual"},"misfire":"skip",` +
	`"handler":{"kind":"named","name":"alert"},"route":"round","overlap":"serial","on_crash":"report",` +
	`"logs":{"off":true,"keep_for":"720h0m0s","max_bytes":16777216},` +
	`"enabled":false,"version":1,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`

// TestJobLogFlags shows how a job is told what is kept of its logs.
func TestJobLogFlags(t *testing.T) {
	t.Parallel()
	const create = "job create alert --group ops --manual --handler alert "
	created := map[string][]string{"POST /jobs": {"201 " + logged}}
	edited := map[string][]string{"GET /jobs/alert": {"200 " + logged}, "PATCH /jobs/alert": {"200 " + logged}}
	for _, c := range []struct {
		name    string
		args    string
		answers map[string][]string
	}{
		{"job-show-logs", "job show alert", map[string][]string{"GET /jobs/alert": {"200 " + logged}}},
		{"job-create-logs", create + "--logs off --keep-logs-for 720h --max-log 16MiB", created},
		{"job-create-wrong-logs", create + "--logs maybe", nil},
		{"job-create-wrong-log-size", create + "--max-log much", nil},
		{"job-create-small-log-size", create + "--max-log 10", nil},
		{"job-create-wrong-log-time", create + "--keep-logs-for 1s", nil},
		{"job-edit-logs", "job edit alert --logs on --max-log 1MiB --unset keep-logs-for", edited},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
