package cli_test

import (
	"strings"
	"testing"
)

// TestOverlapCommands shows whose runs a job counts, and how many may wait.
func TestOverlapCommands(t *testing.T) {
	t.Parallel()
	const create = "job create import --group etl --manual --handler import "
	job := func(overlap string) string {
		return `{"id":9,"namespace":"default","key":"import","group":"etl","schedule":{"kind":"manual"},"misfire":"skip",` +
			`"handler":{"kind":"named","name":"import"},"route":"round",` + overlap + `,"on_crash":"report","enabled":false,"version":3,` +
			`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
	}
	cluster := job(`"overlap":"serial","overlap_scope":"cluster","overlap_queue":50`)
	for _, c := range []struct {
		name    string
		args    string
		answers map[string][]string
	}{
		{"job-show-overlap-cluster", "job show import", map[string][]string{"GET /jobs/import": {"200 " + cluster}}},
		{"job-show-overlap-executor", "job show import", map[string][]string{
			"GET /jobs/import": {"200 " + job(`"overlap":"concurrent","concurrency":4,"overlap_scope":"executor"`)},
		}},
		{"job-show-overlap-discard", "job show import", map[string][]string{
			"GET /jobs/import": {"200 " + job(`"overlap":"discard","overlap_scope":"cluster"`)},
		}},
		{
			"job-create-overlap", create + "--overlap serial --overlap-scope cluster --overlap-queue 50",
			map[string][]string{"POST /jobs": {"201 " + cluster}},
		},
		{
			"job-edit-overlap", "job edit import --overlap-scope executor --unset overlap-queue",
			map[string][]string{"GET /jobs/import": {"200 " + cluster}, "PATCH /jobs/import": {"200 " + strings.Replace(cluster, `"version":3`, `"version":4`, 1)}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
