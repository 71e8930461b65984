package cli_test

import (
	"strings"
	"testing"
)

// TestWarnsOfUnservedGroups: a job that no living executor can run is created all the
// same, and a warning says so and what may have been meant.
func TestWarnsOfUnservedGroups(t *testing.T) {
	t.Parallel()
	const (
		made    = `201 {"id":7,"namespace":"default","key":"report","group":"reprots","handler":{"kind":"named","name":"repotr"},"schedule":{"kind":"manual"},"version":1}`
		started = `200 {"id":7,"namespace":"default","key":"report","group":"reprots","handler":{"kind":"shell","source":"true"},"enabled":true,"schedule":{"kind":"manual"},"version":2}`
		groups  = `200 {"groups":[{"key":"reports","alive":2},{"key":"reprot","alive":0},{"key":"etl","alive":1}]}`
		nobody  = `200 {"executors":0,"silent":0,"handlers":[]}`
		some    = `200 {"executors":2,"silent":0,"handlers":[{"kind":"python","executors":1},{"kind":"named","name":"report","executors":2}]}`
		offers  = "GET /groups/reprots/handlers"
	)
	create := "job create report --group reprots --handler repotr --manual"
	for _, c := range []struct {
		name, line, offer, warning string
	}{
		{"nobody is alive", create, nobody, `Warning: group reprots has no live executor; runs of its jobs will wait; did you mean "reports"?`},
		{"nobody has the handler", create, some, `Warning: job report will fail: no executor of group reprots has a handler repotr; did you mean "report"?`},
		{"somebody has it", create, strings.Replace(some, "report", "repotr", 1), ""},
		{"somebody may have it", create, strings.Replace(some, `"silent":0`, `"silent":1`, 1), ""},
		{"nobody runs the script", "job enable report", some, "Warning: job report will fail: no executor of group reprots runs shell scripts"},
		{"somebody runs the script", "job enable report", strings.Replace(some, "python", "shell", 1), ""},
		{"in JSON", create + " -o json", nobody, `Warning: group reprots has no live executor; runs of its jobs will wait; did you mean "reports"?`},
		{"may not look", create, `403 {"code":"forbidden","detail":"you may not"}`, ""},
		{"trigger", "job trigger report", nobody, `Warning: group reprots has no live executor; runs of its jobs will wait; did you mean "reports"?`},
	} {
		server := newFake(t, map[string][]string{
			"POST /jobs": {made}, "POST /jobs/report/start": {started}, "GET /jobs/report": {made}, "GET /groups": {groups}, offers: {c.offer},
			"POST /jobs/report/trigger": {`201 {"id":"5","state":"waiting"}`},
		})
		r := orth(t.Context(), server.env(), strings.Fields(c.line)...)
		if got := strings.TrimSpace(r.stderr); r.code != 0 || got != c.warning || r.stdout == "" {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

// TestApplyWarnsOfUnservedGroups: plan and apply warn once of a group, however many jobs
// name it.
func TestApplyWarnsOfUnservedGroups(t *testing.T) {
	t.Parallel()
	answers := map[string][]string{"POST /jobs": {`201 {"version":1}`}, "GET /groups": {`200 {"groups":[]}`}}
	for _, group := range []string{"ops", "reports", "etl"} {
		answers["GET /groups/"+group+"/handlers"] = []string{`200 {"executors":0,"silent":0,"handlers":[]}`}
	}
	const documents = `{"apiVersion":"orth/v1","kind":"Job","metadata":{"key":"a"},"spec":{"group":"ops","handler":{"kind":"named","name":"x"}}}
---
{"apiVersion":"orth/v1","kind":"Job","metadata":{"key":"b"},"spec":{"group":"ops","handler":{"kind":"named","name":"x"}}}
`
	file := writeFile(t, t.TempDir(), "jobs.yaml", documents)
	for _, line := range []string{"plan -f " + file, "apply --yes -f " + file, "apply --dry-run -f " + file} {
		server := newFake(t, answers)
		r := orth(t.Context(), server.env(), strings.Fields(line)...)
		if n := strings.Count(r.stderr, "Warning: group ops has no live executor; runs of its jobs will wait\n"); n != 1 || r.code != 0 {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

// TestPlanRefusesWhatApplyRefuses: both ask the server before anything is changed, name
// the document, and end with the exit code of a refusal.
func TestPlanRefusesWhatApplyRefuses(t *testing.T) {
	t.Parallel()
	file := writeFile(t, t.TempDir(), "jobs.yaml", `{"apiVersion":"orth/v1","kind":"Job","metadata":{"key":"a"},"spec":{"group":"ops","handler":{"kind":"named","name":"x"},"schedule":{"kind":"cron","cron":"61 * * * * ?"}}}`)
	refusal := `422 {"code":"invalid","field":"schedule.cron","detail":"the second 61 is not between 0 and 59","hint":"correct it"}`
	for line, want := range map[string]struct {
		code           int
		stdout, stderr string
	}{
		"plan -f " + file:              {1, "! refused: schedule.cron: the second 61", "jobs.yaml:1: create job default/a: schedule.cron: the second 61 is not between 0 and 59"},
		"diff -f " + file:              {1, "! refused: schedule.cron: the second 61", "create job default/a"},
		"apply --yes -f " + file:       {1, "! refused: schedule.cron: the second 61", "nothing was applied"},
		"apply --dry-run -f " + file:   {1, "! refused: schedule.cron: the second 61", "create job default/a"},
		"plan -o json -f " + file:      {1, `"refused": "schedule.cron: the second 61`, "create job default/a"},
		"plan -f " + file + " --set s": {1, "! refused", "create job default/a"},
	} {
		server := newFake(t, map[string][]string{"DRY POST /jobs": {refusal}, "POST /jobs": {"500 {}"}})
		r := orth(t.Context(), server.env(), strings.Fields(line)...)
		if r.code != want.code || !strings.Contains(r.stdout, want.stdout) || !strings.Contains(r.stderr, want.stderr) || strings.Contains(server.seen(), "POST") {
			t.Errorf("%s: %+v\n%s", line, r, server.seen())
		}
	}
	// Who may only look at jobs can still see what would change.
	server := newFake(t, map[string][]string{"DRY POST /jobs": {`403 {"code":"forbidden","detail":"you may not"}`}})
	if r := orth(t.Context(), server.env(), "plan", "-f", file); r.code != 0 || !strings.Contains(r.stdout, "1 to create") {
		t.Errorf("%+v", r)
	}
	if r := orth(t.Context(), server.env(), "apply", "--yes", "-f", file); r.code == 0 {
		t.Errorf("%+v", r)
	}
}

// TestBulkInPortions: a busy server gets requests that it can answer in time, one after
// the other, and the answers are shown as one.
func TestBulkInPortions(t *testing.T) {
	t.Parallel()
	page := func(from, to string, more bool) string {
		if more {
			return `200 {"done":2,"items":[{"key":"` + from + `"},{"key":"` + to + `"}],"more":true,"next":"` + to + `"}`
		}
		return `200 {"done":2,"items":[{"key":"` + from + `"},{"key":"` + to + `"}]}`
	}
	server := newFake(t, map[string][]string{"POST /jobs/bulk": {page("a", "b", true), page("c", "d", true), page("e", "f", false)}})
	r := orth(t.Context(), server.env(), "job", "bulk", "disable", "--all", "--yes", "--limit", "1000", "-o", "name")
	if r.code != 0 || r.stdout != "a\nb\nc\nd\ne\nf\n" {
		t.Errorf("%+v", r)
	}
	const request = `POST /api/v1/jobs/bulk?namespace=default {"action":"stop","filter":{`
	want := request + `"limit":200}}` + "\n" + request + `"after":"b","limit":200}}` + "\n" + request + `"after":"d","limit":200}}`
	if got := server.seen(); got != want {
		t.Error(got)
	}
	// The last request asks for no more than what is left.
	server = newFake(t, map[string][]string{"POST /jobs/bulk": {page("a", "b", true)}})
	r = orth(t.Context(), server.env(), "job", "bulk", "disable", "--all", "--yes", "--limit", "3")
	if !strings.Contains(server.seen(), `"after":"b","limit":1}}`) || !strings.Contains(r.stderr, "4 jobs are done; more match: continue with --after b") {
		t.Errorf("%+v\n%s", r, server.seen())
	}
	// Names are sent in portions, too, and what was done before a failure is shown.
	var names []string
	for range 450 {
		names = append(names, "job-x")
	}
	server = newFake(t, map[string][]string{"POST /jobs/bulk": {page("a", "b", false), `503 {"code":"unavailable","detail":"it is starting"}`}})
	r = orth(t.Context(), server.env(), append([]string{"job", "disable"}, names...)...)
	if r.code == 0 || !strings.Contains(r.stdout, "a    ok\nb    ok") || !strings.Contains(r.stderr, "it is starting") {
		t.Errorf("%+v", r)
	}
	if first, _, _ := strings.Cut(server.seen(), "\n"); strings.Count(first, "job-x") != 200 {
		t.Errorf("the first request has %d names", strings.Count(first, "job-x"))
	}
}
