package cli_test

import (
	"strings"
	"testing"
)

// All namespaces are named by a flag, by its letter, or by the star; what works in one
// refuses them.
func TestEverySpaceCommands(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	away := strings.Replace(report, `"namespace":"default"`, `"namespace":"team-a"`, 1)
	jobs := answers{"GET /jobs": {`200 {"jobs":[` + ping + `],"next":"default/ping"}`, `200 {"jobs":[` + away + `]}`}}
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"everywhere-job-list", "job list -A", jobs},
		{"everywhere-job-list-star", "job list -n *", jobs},
		{"everywhere-job-list-recent", "job list --recent --all-namespaces", jobs},
		{"everywhere-job-list-names", "job list -A -o name", jobs},
		{"everywhere-run-list-names", "run list -A -o name", answers{"GET /runs": {`200 {"runs":[` + failed + `]}`}}},
		{"everywhere-job-list-both", "job list -A -n team-a", nil},
		{"everywhere-job-facets", "job facets -A", answers{"GET /job-facets": {`200 {"jobs":1,"groups":[{"value":"reports","jobs":1}],"labels":[],"handlers":[],"owners":[]}`}}},
		{"everywhere-workflow-list", "workflow list -A", answers{"GET /workflows": {`200 {"workflows":[` + strings.Replace(flow, flowNodes+",", "", 1) + `]}`}}},
		{"everywhere-workflow-runs", "workflow runs --namespace *", answers{"GET /workflow-runs": {`200 {"runs":[` + flowBare + `]}`}}},
		{"everywhere-workflow-runs-key", "workflow runs nightly -A", nil},
		{"everywhere-calendar-list", "calendar list -n *", answers{"GET /calendars": {`200 {"calendars":[` + office + `]}`}}},
		{"everywhere-secret-list", "secret list -A", answers{"GET /secrets": {
			`200 {"secrets":[{"namespace":"team-a","key":"db","version":1,"created_at":"2030-01-31T01:30:00.000Z","updated_at":"2030-01-31T01:30:00.000Z","replaced_at":"2030-01-31T01:30:00.000Z"}]}`,
		}}},
		{"everywhere-run-list", "run list -A", answers{"GET /runs": {`200 {"runs":[` + failed + `]}`}}},
		{"everywhere-run-list-one", "run list -n team-a", answers{"GET /runs": {`200 {"runs":[]}`}}},
		{"everywhere-run-list-job", "run list -A --job report", nil},
		{"everywhere-backfill-list", "backfill list -A", answers{"GET /backfills": {`200 {"backfills":[]}`}}},
		{"everywhere-dead-letter-list", "dead-letter list -A", answers{"GET /dead-letters": {`200 {"dead_letters":[` + deadOpen + `]}`}}},
		{"everywhere-executors", "executors -n *", answers{"GET /executors": {`200 {"executors":[{"namespace":"team-a","group":"reports","address":"http://10.0.0.1:9999",` +
			`"registered_at":"2030-01-31T01:30:00.000Z","seen_at":"2030-01-31T01:30:00.000Z","lease_until":"2030-01-31T01:31:00.000Z"}]}`}}},
		{"everywhere-job-disable", "job disable report -n *", nil},
		{"everywhere-job-show", "job show report --namespace *", nil},
		{"everywhere-job-bulk", "job bulk disable --all -A --owner ada --yes --limit 2", answers{"POST /jobs/bulk": {
			`200 {"done":1,"failed":1,"more":true,"next":"team-a/report","items":[{"namespace":"default","key":"ping"},` +
				`{"namespace":"team-a","key":"report","error":{"title":"This is not allowed","status":403,"code":"forbidden","detail":"mia lacks the right of operate"}}]}`,
		}}},
		{"everywhere-job-bulk-keys", "job bulk disable report -A", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}

// Keys may have their namespace before them, as lists of all namespaces have them with
// -o name.
func TestKeysWithNamespaces(t *testing.T) {
	t.Parallel()
	started := "200 " + strings.Replace(report, `"namespace":"default"`, `"namespace":"team-a"`, 1)
	for _, c := range []struct {
		args string
		env  string // ORTH_NAMESPACE
		asks string // "" when it is refused
		says string // then
	}{
		{args: "job disable team-a/report", asks: "POST /jobs/report/stop?namespace=team-a"},
		{args: "job disable team-a/report", env: "*", asks: "POST /jobs/report/stop?namespace=team-a"},
		{args: "job disable team-a/report", env: "other", asks: "POST /jobs/report/stop?namespace=team-a"},
		{args: "job disable team-a/report -n team-a", asks: "POST /jobs/report/stop?namespace=team-a"},
		{args: "job disable default/report", env: "other", asks: "POST /jobs/report/stop?namespace=default"},
		{args: "job disable team-a/report -n other", says: "is not in the namespace of --namespace: other"},
		{args: "job disable a/b/c", says: `"a/b/c" is not a key`},
		{args: "job disable /report", says: `"/report" is not a key`},
		{args: "job bulk disable a/report b/report", says: "keys of different namespaces a and b"},
		{args: "job bulk disable a/report report", says: "report has no namespace but other keys have"},
		{args: "run list --job team-a/report", asks: "GET /runs?job=report&limit=20&namespace=team-a"},
		{args: "run list -A --job team-a/report", says: "are mutually exclusive"},
		{args: "workflow show team-a/nightly", asks: "GET /workflows/nightly?namespace=team-a"},
		{args: "secret delete team-a/db --yes", asks: "DELETE /secrets/db?namespace=team-a"},
	} {
		server := newFake(t, map[string][]string{
			"POST /jobs/report/stop": {started}, "GET /jobs/report": {started}, "GET /runs": {`200 {"runs":[]}`}, "DELETE /secrets/db": {"204 "},
			"GET /workflows/nightly": {"404 {}"},
		})
		env := server.env()
		if c.env != "" {
			env["ORTH_NAMESPACE"] = c.env
		}
		r := orth(t.Context(), env, strings.Fields(c.args)...)
		seen := strings.ReplaceAll(server.seen(), "/api/v1", "")
		if asked := c.asks != "" && strings.Contains(seen, c.asks); asked != (c.asks != "") {
			t.Errorf("%s with ORTH_NAMESPACE %q asked %s, want %s\n%s", c.args, c.env, seen, c.asks, r.stderr)
		}
		if c.asks == "" && (r.code != 2 || seen != "" || !strings.Contains(r.stderr, c.says)) {
			t.Errorf("%s: exit code %d, %s, asked %s", c.args, r.code, r.stderr, seen)
		}
	}
}

// The environment and contexts may name all namespaces as well: lists have them, and
// what works in one says who named them.
func TestEverySpaceFromEnvironment(t *testing.T) {
	t.Parallel()
	server := newFake(t, map[string][]string{"GET /jobs": {`200 {"jobs":[` + ping + `]}`}})
	env := server.env()
	env["ORTH_NAMESPACE"] = "*"
	r := orth(t.Context(), env, "job", "list")
	if r.code != 0 || !strings.HasPrefix(r.stdout, "NAMESPACE") || !strings.Contains(server.seen(), "namespace=%2A") {
		t.Errorf("exit code %d: %s%s\nasked %s", r.code, r.stdout, r.stderr, server.seen())
	}
	r = orth(t.Context(), env, "job", "disable", "ping")
	if r.code != 2 || !strings.Contains(r.stderr, "ORTH_NAMESPACE: * selects all namespaces") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if r = orth(t.Context(), env, "job", "list", "--namespace", "team"); strings.Contains(r.stdout, "NAMESPACE") {
		t.Errorf("the flag does not count before the environment: %s", r.stdout)
	}
}
