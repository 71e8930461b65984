package cli_test

import (
	"strings"
	"testing"
)

// TestDescriptionCommands shows what people write down of a job.
func TestDescriptionCommands(t *testing.T) {
	t.Parallel()
	job := func(description string) string {
		return `{"id":9,"namespace":"default","key":"import","title":"Import",` + description + `"group":"etl","schedule":{"kind":"manual"},"misfire":"skip",` +
			`"handler":{"kind":"named","name":"import"},"route":"round","overlap":"serial","overlap_scope":"cluster","on_crash":"report",` +
			`"enabled":false,"version":3,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
	}
	said, none := job(`"description":"Reads the orders.\nWhen it fails: https://wiki.example.com/orders",`), job("")
	next := func(text string) string { return strings.Replace(text, `"version":3`, `"version":4`, 1) }
	for _, c := range []struct {
		name    string
		args    string
		answers map[string][]string
	}{
		{"job-show-description", "job show import", map[string][]string{"GET /jobs/import": {"200 " + said}}},
		{
			"job-create-description", "job create import --group etl --manual --handler import --title Import --description Orders",
			map[string][]string{"POST /jobs": {"201 " + said}},
		},
		{
			"job-edit-description", "job edit import --description Orders",
			map[string][]string{"GET /jobs/import": {"200 " + said}, "PATCH /jobs/import": {"200 " + next(said)}},
		},
		{
			"job-edit-no-description", "job edit import --unset description",
			map[string][]string{"GET /jobs/import": {"200 " + said}, "PATCH /jobs/import": {"200 " + next(none)}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
