package cli_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/pagetest"
	"github.com/orthd/orth/internal/terminal"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	report = `{"id":7,"namespace":"default","key":"report","title":"Nightly report","group":"reports",` +
		`"schedule":{"kind":"cron","cron":"0 30 2 * * ?","zone":"Europe/Berlin"},"misfire":"fire_once",` +
		`"handler":{"kind":"named","name":"report"},"param":"all","route":"consistent_hash","overlap":"concurrent","concurrency":4,` +
		`"labels":{"team":"data","cost-centre":"a b"},"timeout":"30s",` +
		`"retry":{"tries":3,"initial":"1s","multiplier":2,"max":"1m0s","jitter":0.1},"on_crash":"report","children":[{"id":8,"key":"ping","on":"success"},{"id":9,"on":"failure","param":"{{result}}"}],` +
		`"enabled":true,"version":4,"next_at":"2030-01-31T01:30:00.000Z","last_at":"2030-01-30T01:30:00.000Z",` +
		`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-02T00:00:00.000Z"}`
	ping = `{"id":8,"namespace":"default","key":"ping","group":"ops","schedule":{"kind":"every","every":"30s"},"misfire":"skip",` +
		`"handler":{"kind":"shell","source":"#!/bin/sh\n\tcurl -fsS https://example.com\n\u001b[31mred\n"},"route":"round","overlap":"serial","on_crash":"rerun",` +
		`"enabled":false,"version":1,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
	byHand = `{"id":10,"namespace":"default","key":"by-hand","group":"ops","schedule":{"kind":"manual"},"misfire":"skip",` +
		`"handler":{"kind":"named","name":"clean"},"route":"round","overlap":"serial","on_crash":"report","enabled":false,"version":1,` +
		`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`

	planned = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"manual",` +
		`"state":"planned","final":false,"tries":0,"created_at":"2030-01-31T01:30:00.000Z"}`
	running = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"manual",` +
		`"state":"running","final":false,"tries":1,"attempt_id":"99","created_at":"2030-01-31T01:30:00.000Z"}`
	waiting = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"manual",` +
		`"state":"waiting_retry","final":false,"reason":"the attempt failed","ready_at":"2030-01-31T01:30:05.000Z","tries":1,"attempt_id":"99",` +
		`"created_at":"2030-01-31T01:30:00.000Z"}`
	succeeded = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"manual",` +
		`"state":"succeeded","final":true,"param":"x","tries":1,"attempt_id":"99","message":"42 rows","created_at":"2030-01-31T01:30:00.000Z",` +
		`"ended_at":"2030-01-31T01:30:01.250Z"}`
	failed = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"parent","cause_id":"77",` +
		`"state":"failed","final":true,"reason":"no retries are left","tries":2,"attempt_id":"100",` +
		`"message":"boom\nat line 5, with a text that is much too long for a cell of a table \u001b[31m","created_at":"2030-01-31T01:30:00.000Z",` +
		`"ended_at":"2030-01-31T01:31:00.000Z"}`

	attempts = `{"attempts":[{"id":"99","run_id":"1152921504606846976","job_id":7,"number":1,"address":"http://10.0.0.1:9999",` +
		`"state":"failed","triggered_at":"2030-01-31T01:30:00.000Z","accepted_at":"2030-01-31T01:30:00.005Z","ended_at":"2030-01-31T01:30:02.500Z",` +
		`"message":"boom"},{"id":"100","run_id":"1152921504606846976","job_id":7,"number":2,"address":"http://10.0.0.2:9999",` +
		`"state":"timed_out","triggered_at":"2030-01-31T01:30:05.000Z"}]}`
)

const runID = "1152921504606846976"

// TestCommands compares everything a command shows and sends with golden files.
func TestCommands(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	for _, c := range []struct {
		name    string
		args    string // split at blanks; ~ stands for a blank inside
		answers answers
	}{
		{"job-list", "job list", answers{"GET /jobs": {`200 {"jobs":[` + byHand + `,` + ping + `,` + report + `]}`}}},
		{"job-list-json", "job list -o json --group reports", answers{"GET /jobs": {`200 {"jobs":[` + report + `]}`}}},
		{"job-list-pages", "job list", answers{"GET /jobs": {`200 {"jobs":[` + ping + `],"next":"ping"}`, `200 {"jobs":[` + report + `]}`}}},
		{"job-list-limit", "job list --limit 1", answers{"GET /jobs": {`200 {"jobs":[` + ping + `],"next":"ping"}`}}},
		{"job-list-empty", "job list --namespace team", answers{"GET /jobs": {`200 {"jobs":[]}`}}},
		{"job-list-empty-json", "job list --output json", answers{"GET /jobs": {`200 {"jobs":[]}`}}},
		{"job-show", "job show report", answers{"GET /jobs/report": {"200 " + report}}},
		{"job-show-script", "job show ping", answers{"GET /jobs/ping": {"200 " + ping}}},
		{"job-show-json", "job show report -o json", answers{"GET /jobs/report": {"200 " + report}}},
		{"job-show-missing", "job show report", answers{"GET /jobs/report": {`404 {"code":"not_found","detail":"there is no job \"report\""}`}}},
		{"job-show-impossible", "job show Report", nil},
		{"job-enable", "job enable report", answers{"POST /jobs/report/start": {"200 " + report}}},
		{"job-enable-twice-at-once", "job enable report", answers{"POST /jobs/report/start": {`409 {"code":"conflict","detail":"the job changed","hint":"try again"}`}}},
		{"job-disable", "job disable ping", answers{"POST /jobs/ping/stop": {"200 " + ping}}},
		{"job-delete", "job delete ping --yes", answers{"DELETE /jobs/ping": {"204 "}}},
		{"job-delete-json", "job rm ping --yes -o json", answers{"DELETE /jobs/ping": {"204 "}}},
		{"job-trigger", "job trigger report", answers{"POST /jobs/report/trigger": {"201 " + planned}}},
		{"job-trigger-param", "job trigger report --param=", answers{"POST /jobs/report/trigger": {"201 " + planned}}},
		{"job-trigger-wait", "job trigger report --param x --wait", answers{
			"POST /jobs/report/trigger": {"201 " + planned}, "GET /runs/" + runID: {"200 " + running, "200 " + succeeded},
		}},
		{"job-trigger-wait-json", "job trigger report --wait -o json", answers{
			"POST /jobs/report/trigger": {"201 " + planned}, "GET /runs/" + runID: {"200 " + succeeded},
		}},
		{"job-trigger-wait-failed", "job trigger report --wait", answers{
			"POST /jobs/report/trigger": {"201 " + planned}, "GET /runs/" + runID: {"200 " + failed},
		}},
		{
			"job-create-cron", "job create report --group reports --cron 0~30~2~*~*~? --zone Europe/Berlin --handler report --title Nightly~report " +
				"--param all --route consistent-hash --misfire fire-once --timeout 30s --retries 3 --child ping --child other --on-crash rerun --enable",
			answers{"POST /jobs": {"201 " + report}},
		},
		{
			"job-create-every", "job create ping --group ops --every 90s --shell echo~hi --retries 2 --retry-delay 2m --retry-multiplier 1.5 --retry-max 1m --retry-jitter 0",
			answers{"POST /jobs": {"201 " + ping}},
		},
		{"job-create-at", "job create once --group ops --at 2030-01-31T08:00:00+01:00 --shell-file -", answers{"POST /jobs": {"201 " + ping}}},
		{"job-create-python", "job create etl --group ops --manual --python print(1) --overlap concurrent --concurrency 4 --label team=data --label url=http://a?b=c", answers{"POST /jobs": {"201 " + report}}},
		{"job-create-js-file", "job create etl --group ops --manual --js-file - --overlap cover", answers{"POST /jobs": {"201 " + report}}},
		{"job-create-manual", "job create by-hand --group ops --manual --handler clean -o json", answers{"POST /jobs": {"201 " + byHand}}},
		{"job-create-manual-text", "job create by-hand --group ops --manual --handler clean", answers{"POST /jobs": {"201 " + byHand}}},
		{"job-create-dst", "job create report --group reports --cron 0~30~2~*~*~? --zone Europe/Berlin --dst quartz --handler report", answers{"POST /jobs": {"201 " + report}}},
		{"job-create-wrong-dst", "job create report --group reports --cron 0~30~2~*~*~? --dst summer --handler report", nil},
		{"job-create-wrong-cron", "job create x --group g --cron 61~*~*~*~*~? --handler h", nil},
		{"job-create-wrong-calendar", "job create x --group g --cron 0~0~9~*~*~? --calendar nowhere --handler h", answers{
			"POST /jobs": {`422 {"code":"invalid","detail":"there is no calendar \"nowhere\"","field":"schedule.calendars","hint":"make it first"}`},
		}},
		{"job-create-taken", "job create x --group g --manual --handler h", answers{"POST /jobs": {`409 {"code":"conflict","detail":"there is a job \"x\" already"}`}}},
		{"run-list", "run list", answers{"GET /runs": {`200 {"runs":[` + failed + `,` + running + `,` + succeeded + `]}`}}},
		{"run-list-filter", "run list --job report --state timed-out --limit 2 -o json", answers{"GET /runs": {`200 {"runs":[],"next":"5"}`, `200 {"runs":[` + failed + `]}`}}},
		{"run-list-empty", "run list", answers{"GET /runs": {`200 {"runs":[]}`}}},
		{"run-show", "run show " + runID, answers{"GET /runs/" + runID: {"200 " + failed}, "GET /runs/" + runID + "/attempts": {"200 " + attempts}}},
		{"run-show-json", "run show " + runID + " -o json", answers{"GET /runs/" + runID: {"200 " + succeeded}, "GET /runs/" + runID + "/attempts": {"200 " + attempts}}},
		{"run-show-planned", "run show " + runID, answers{"GET /runs/" + runID: {"200 " + planned}, "GET /runs/" + runID + "/attempts": {`200 {"attempts":[]}`}}},
		{"run-cancel", "run cancel " + runID + " --reason wrong~day", answers{"POST /runs/" + runID + "/cancel": {"200 " + failed}}},
		{"run-cancel-over", "run cancel " + runID, answers{"POST /runs/" + runID + "/cancel": {`409 {"code":"conflict","detail":"run 5 is over already: it failed"}`}}},
		{"executors", "executors", answers{"GET /executors": {`200 {"executors":[{"group":"reports","address":"http://10.0.0.1:9999",` +
			`"lease_until":"2030-01-31T01:31:30.000Z","registered_at":"2030-01-30T01:30:00.000Z","seen_at":"2030-01-31T01:30:00.000Z"},` +
			`{"group":"reports","address":"http://10.0.0.2:9999","features":["shell","python=3.11.2"],` +
			`"lease_until":"2030-01-31T01:31:30.000Z","registered_at":"2030-01-30T01:30:00.000Z","seen_at":"2030-01-31T01:30:00.000Z"}]}`}}},
		{"executors-none", "executors", answers{"GET /executors": {`200 {"executors":[]}`}}},
		{"executors-none-json", "executors -o json", answers{"GET /executors": {`200 {"executors":[]}`}}},
		{"wrong-token", "job list", answers{"GET /jobs": {`401 {"code":"unauthorized","detail":"the token is not the one of this server","hint":"name it with --token-file"}`}}},
		{"server-failed", "job list", answers{"GET /jobs": {`500 {"code":"internal","detail":"something went wrong inside the server","id":"e-abc"}`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}

// golden runs a command line against a server and compares everything it shows
// and sends with a golden file.
func golden(t *testing.T, name, line string, answers map[string][]string) {
	t.Helper()
	server := newFake(t, answers)
	args := strings.Split(line, " ")
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "~", " ")
	}
	r := orth(t.Context(), server.env(), args...)
	shown := fmt.Sprintf("$ orth %s\n== exit code %d\n== standard output\n%s== standard error\n%s== requests\n%s\n",
		strings.ReplaceAll(line, "~", " "), r.code, r.stdout, r.stderr, server.seen())
	compare(t, name, strings.ReplaceAll(shown, server.URL, "http://the-server"))
	for _, sent := range server.tokens {
		if sent != "Bearer "+token {
			t.Errorf("sent the token %q", sent)
		}
	}
	for _, trouble := range pagetest.Of(cli.New(kit.Config{})).WrongPrinted(r.stdout + r.stderr) {
		t.Errorf("printed a wrong command: %s", trouble)
	}
	for _, screen := range []int{60, 80, 100} {
		narrow := orthOn(t.Context(), screen, newFake(t, answers).env(), args...)
		fitted(t, screen, r.stdout, narrow.stdout)
	}
}

// fitted checks what a command prints on a screen, beside what it prints where there is
// none: lines of tables fit, unless the key alone is too long; no row is missing; and no
// time or id is cut.
func fitted(t *testing.T, screen int, whole, narrow string) {
	t.Helper()
	if whole == narrow {
		return
	}
	before := strings.Split(whole, "\n")
	lines := slices.DeleteFunc(strings.Split(narrow, "\n"), func(line string) bool { return strings.HasPrefix(line, "(-o wide") })
	if len(lines) != len(before) {
		t.Errorf("%d cells: %d lines, where there were %d:\n%s", screen, len(lines), len(before), narrow)
		return
	}
	cut := regexp.MustCompile(`(?:^|[^\w.:-])(\d{4}-[\d-]*(?: [\d:.]*)?|\d\d:[\d:.]*|\d{4,}|[0-9a-f]{8,})…`)
	for i, line := range lines {
		if terminal.Width(line) > screen && line != before[i] && strings.Contains(strings.TrimSpace(line), "  ") {
			t.Errorf("%d cells: a line has %d: %s", screen, terminal.Width(line), line)
		}
		for _, found := range cut.FindAllStringSubmatch(line, -1) {
			if !regexp.MustCompile(regexp.QuoteMeta(found[1]) + `(?:[^\w.:-]|$)`).MatchString(before[i]) {
				t.Errorf("%d cells: %q is cut: %s", screen, found[1], line)
			}
		}
	}
}

// TestHelp compares the help of every command with golden files.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"job", "job create", "job edit", "job copy", "job list", "job show", "job next", "job enable", "job disable", "job trigger", "job backfill", "job delete",
		"backfill", "backfill list", "backfill show", "backfill cancel", "pause", "pause list", "resume",
		"calendar", "calendar list", "calendar show", "calendar save", "calendar delete", "calendar builtin",
		"job logs", "run", "run list", "run show", "run log", "run cancel", "executors", "version",
		"group", "group token", "group token add", "group token list", "group token remove", "group edit",
		"alarm", "alarm list", "alarm show", "alarm acknowledge", "alarm messages", "alarm resend",
		"alarm rule", "alarm rule create", "alarm rule edit", "alarm rule list", "alarm rule show", "alarm rule enable", "alarm rule disable", "alarm rule delete",
		"alarm channel", "alarm channel create", "alarm channel edit", "alarm channel list", "alarm channel show", "alarm channel test",
		"alarm channel delete", "alarm channel kinds", "alarm silence", "alarm silence create", "alarm silence list", "alarm silence end", "alarm silence delete",
		"explain", "explain run", "explain job", "login", "logout", "man", "doctor", "shadow", "restore", "mcp", "job bulk", "run bulk",
		"context", "context list", "context show", "context use", "context set", "context rename", "context delete", "context explain",
		"dead-letter", "dead-letter list", "dead-letter show", "dead-letter retry", "dead-letter close",
		"audit", "audit list", "audit verify", "audit export", "audit prune",
		"user", "user list", "user show", "user create", "user edit", "user enable", "user disable", "user delete", "user password",
		"user grant", "user revoke", "user grants", "user roles", "token", "token list", "token create", "token revoke", "whoami",
		"workflow", "workflow save", "workflow list", "workflow show", "workflow run", "workflow runs", "workflow cancel", "workflow resume", "workflow delete",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			r := orth(t.Context(), nil, append(strings.Split(args, " "), "--help")...)
			if r.code != 0 || r.stderr != "" {
				t.Errorf("exit code %d, standard error %s", r.code, r.stderr)
			}
			compare(t, "help-"+strings.ReplaceAll(args, " ", "-"), r.stdout)
		})
	}
}

// compare compares a text with a golden file.
func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("run the test with -update when this is wanted: %s", diff)
	}
}
