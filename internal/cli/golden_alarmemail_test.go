package cli_test

import (
	"strings"
	"testing"
)

// TestAlarmEmailCommands shows who gets a mail when a run has failed.
func TestAlarmEmailCommands(t *testing.T) {
	t.Parallel()
	job := func(emails string) string {
		return `{"id":9,"namespace":"default","key":"import","group":"etl","schedule":{"kind":"manual"},"misfire":"skip",` +
			`"handler":{"kind":"named","name":"import"},"route":"round","overlap":"serial","overlap_scope":"cluster","on_crash":"report",` +
			emails + `"enabled":false,"version":3,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
	}
	two, none := job(`"alarm_emails":["ann@example.com","bob@example.com"],`), job("")
	for _, c := range []struct {
		name    string
		args    string
		answers map[string][]string
	}{
		{"job-show-alarm-email", "job show import", map[string][]string{"GET /jobs/import": {"200 " + two}}},
		{
			"job-create-alarm-email", "job create import --group etl --manual --handler import --alarm-email ann@example.com,bob@example.com",
			map[string][]string{"POST /jobs": {"201 " + two}},
		},
		{
			"job-edit-alarm-email", "job edit import --alarm-email cid@example.com",
			map[string][]string{"GET /jobs/import": {"200 " + two}, "PATCH /jobs/import": {"200 " + strings.Replace(two, `"version":3`, `"version":4`, 1)}},
		},
		{
			"job-edit-no-alarm-email", "job edit import --unset alarm-email",
			map[string][]string{"GET /jobs/import": {"200 " + two}, "PATCH /jobs/import": {"200 " + strings.Replace(none, `"version":3`, `"version":4`, 1)}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
