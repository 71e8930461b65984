package cli_test

import (
	"strings"
	"testing"
)

func TestGoldenTables(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	active := strings.TrimSuffix(report, "}") + `,"activity":{"recent":[{"run_id":"3","state":"timed_out","ended_at":"2030-01-31T08:00:00Z","duration_ms":1500},` +
		`{"run_id":"2","state":"succeeded","ended_at":"2030-01-31T07:00:00Z","duration_ms":1500}],"last":{"run_id":"4","state":"waiting_retry","at":"2030-01-31T08:30:00Z"},` +
		`"success_rate":0.9855,"rated":138,"running":1,"waiting":2}}`
	page := func(next string) string { return `200 {"jobs":[` + active + `]` + next + `}` }
	facets := answers{"GET /job-facets": {`200 {"jobs":3,"partial":true,"groups":[{"value":"reports","jobs":3}],"labels":[{"value":"owner=data","jobs":2}],` +
		`"handlers":[{"value":"shell","jobs":1}],"owners":[{"value":"data","jobs":2}]}`}}
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"job-list-recent", "job list --recent --sort=-last-ended-at --limit 1", answers{"GET /jobs": {page(`,"next":"~-last_ended_at~1~~report"`)}}},
		{"job-list-recent-old", "job list --recent", answers{"GET /jobs": {`200 {"jobs":[` + report + `]}`}}},
		{"job-list-recent-none", "job list --recent", answers{"GET /jobs": {`200 {"jobs":[]}`}}},
		{"job-list-sorted", "job list --sort next_at --label team=data --label tier --any-label --owner data --status gave-up", answers{"GET /jobs": {
			`200 {"jobs":[` + report + `],"next":"~next_at~5~~report"}`, `200 {"jobs":[` + report + `]}`,
		}}},
		{"job-list-wrong-sort", "job list --sort luck", nil},
		{"job-facets", "job facets", facets},
		{"job-facets-json", "job facets -o json", facets},
		{"job-facets-none", "job facets", answers{"GET /job-facets": {`200 {"jobs":0,"groups":[],"labels":[],"handlers":[],"owners":[]}`}}},
		{"run-list-sorted", "run list --sort=-duration --executor http://one:9999 --label team --by user-1 --text boom --late 30s --longer-than 1m --shorter-than 2m --min-tries 1 --max-tries 3", answers{"GET /runs": {
			`200 {"runs":[` + failed + `],"after":"~-duration~1~2~3~4","since":"2030-01-31T08:00:00Z"}`, `200 {"runs":[` + failed + `]}`,
		}}},
		{"run-list-wrong-sort", "run list --sort=-luck", nil},
		{"job-bulk-narrow", "job bulk disable --all --label a --label b=c --any-label --owner x --status held --dry-run", answers{"POST /jobs/bulk": {`200 {"done":1,"failed":0,"items":[{"key":"report"}]}`}}},
		{"job-bulk-sort", "job bulk disable --all --sort key", nil},
		{"run-bulk-narrow", "run bulk cancel --all --executor http://one:9999 --by user-1 --longer-than 1h --dry-run", answers{"POST /runs/bulk": {`200 {"done":1,"failed":0,"items":[{"key":"5"}]}`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
	compare(t, "help-job-facets", orth(t.Context(), nil, "job", "facets", "--help").stdout)
}
