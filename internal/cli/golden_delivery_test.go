package cli_test

import (
	"strings"
	"testing"
)

// delivered is a job that says how its runs wait and are kept.
const delivered = `{"id":9,"namespace":"default","key":"alert","group":"ops","schedule":{"kind":"manual"},"misfire":"skip",` +
	`"handler":{"kind":"named","name":"alert"},"route":"least_loaded","overlap":"serial","on_crash":"report",` +
	`"delivery":{"priority":"high","expire_after":"10m0s","deadline":"2h0m0s","selector":{"zone":"eu","disk":"ssd"},"keep_for":"720h0m0s","keep_runs":50},` +
	`"enabled":false,"version":1,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`

// TestDeliveryCommands shows how runs are said to wait, and where they may go.
func TestDeliveryCommands(t *testing.T) {
	t.Parallel()
	const create = "job create alert --group ops --manual --handler alert "
	created := map[string][]string{"POST /jobs": {"201 " + delivered}}
	bound := strings.Replace(planned, `"state":`, `"addresses":["http://10.0.0.1:9999","http://10.0.0.2:9999"],"state":`, 1)
	executor := func(address, breaker string) string {
		return `{"group":"ops","address":"http://` + address + `","lease_until":"2030-01-31T01:31:30.000Z",` +
			`"registered_at":"2030-01-30T01:30:00.000Z","seen_at":"2030-01-31T01:30:00.000Z","features":["weight=3","shell"],"breaker":` + breaker + `}`
	}
	for _, c := range []struct {
		name    string
		args    string
		answers map[string][]string
	}{
		{"job-show-delivery", "job show alert", map[string][]string{"GET /jobs/alert": {"200 " + delivered}}},
		{
			"job-create-delivery", create + "--route least-loaded --priority high --expire-after 10m --deadline 2h --select zone=eu --select disk=ssd " +
				"--keep-for 720h --keep-runs 50", created,
		},
		{"job-create-wrong-priority", create + "--priority urgent", nil},
		{"job-create-wrong-select", create + "--select zone", nil},
		{"job-create-wrong-expire", create + "--expire-after -1s", nil},
		{"job-create-wrong-keep", create + "--keep-runs -1", nil},
		{
			"job-trigger-address", "job trigger report --address http://10.0.0.1:9999 --address http://10.0.0.2:9999",
			map[string][]string{"POST /jobs/report/trigger": {"201 " + bound}},
		},
		{"job-trigger-unknown-address", "job trigger report --address http://elsewhere", map[string][]string{
			"POST /jobs/report/trigger": {`422 {"code":"invalid","detail":"\"http://elsewhere\" is no executor of group g: use some of http://10.0.0.1:9999","field":"addresses"}`},
		}},
		{"run-show-address", "run show " + runID, map[string][]string{
			"GET /runs/" + runID: {"200 " + bound}, "GET /runs/" + runID + "/attempts": {`200 {"attempts":[]}`},
		}},
		{"executors-breaker", "executors", map[string][]string{"GET /executors": {`200 {"executors":[` + strings.Join([]string{
			executor("10.0.0.1:9999", `{"state":"open","failures":7,"reason":"connection refused","until":"2030-01-31T01:30:30.000Z"}`),
			executor("10.0.0.2:9999", `{"state":"half_open","failures":5,"reason":"timed out"}`),
			executor("10.0.0.3:9999", `{"state":"closed","failures":1,"reason":"timed out"}`),
		}, ",") + `]}`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
