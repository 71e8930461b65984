package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Tokens of groups are taken over once, those that are refused are told, and none is
// shown. Older texts become revisions with their remarks, and the job has the text of
// today at the end.
func TestImportDatabaseTokensAndVersions(t *testing.T) {
	t.Parallel()
	address, do, _ := oldRunning(t, time.Now().UTC().Truncate(time.Minute).Add(time.Minute))
	for _, one := range []string{
		"ALTER TABLE xxl_job_group ADD access_token TEXT", "UPDATE xxl_job_group SET access_token = IF(id = 1, 'hunter-2-secret-token', 'default_token')",
		"ALTER TABLE xxl_job_info ADD glue_source TEXT", "UPDATE xxl_job_info SET glue_type = 'GLUE_SHELL', glue_source = 'echo 3' WHERE id = 1",
		"CREATE TABLE xxl_job_logglue (id INT PRIMARY KEY, job_id INT, glue_type TEXT, glue_source TEXT, glue_remark TEXT, update_time DATETIME)",
		"INSERT INTO xxl_job_logglue VALUES (5, 1, 'GLUE_SHELL', 'echo 1', 'the first', '2024-03-01 10:00:00'), (6, 1, 'GLUE_SHELL', 'echo 2', 'better', '2024-03-02 10:00:00'), " +
			"(7, 1, 'GLUE_SHELL', 'echo 2', 'again', '2024-03-03 10:00:00'), (8, 1, 'GLUE_PYTHON', 'print(1)', 'other', NULL), (9, 1, 'GLUE_SHELL', 'echo 3', 'today', NULL)",
	} {
		do(one)
	}
	script := strings.Replace(loadJob(time.Time{}), `{"kind":"named","name":"load"}`, `{"kind":"shell","source":"echo 3"}`, 1)
	group := func(tokens string) string {
		return `200 {"group":"etl","own_token_only":false,"tokens":[` + tokens + `]}`
	}
	server := newFake(t, map[string][]string{
		"GET /groups/etl": {noSuch}, "GET /groups/other": {noSuch}, "POST /groups": {`201 {"namespace":"default","key":"etl","version":1}`},
		"GET /jobs/load": {noSuch, "200 " + script}, "GET /jobs/idle": {noSuch, "200 " + loadJob(time.Time{})}, "GET /jobs/else": {noSuch, "200 " + loadJob(time.Time{})},
		"POST /jobs": {"201 " + script}, "PATCH /jobs/load": {"200 " + script}, "GET /jobs/load/revisions": {`200 {"revisions":[]}`},
		"GET /groups/etl/tokens": {group("")}, "GET /groups/other/tokens": {group("")},
		"POST /groups/etl/tokens": {`201 {"id":"1","created_at":"2030-01-01T00:00:00Z","outbound":true,"executors":0}`}, "POST /groups/other/tokens": {`422 {"code":"invalid","detail":"is a token that everybody knows"}`},
	})
	args := []string{"import", "xxl-job", "--dsn", address, "--zone", "UTC", "--apply", "--tokens", "--versions", "--yes"}
	r := orth(t.Context(), server.env(), args...)
	sent, said := server.seen(), r.stdout+r.stderr
	first, second := strings.Index(sent, `{"handler":{"source":"echo 1"}`), strings.Index(sent, `{"handler":{"source":"echo 2"}`)
	if r.code != 1 || first < 0 || second < first || strings.LastIndex(sent, `{"handler":{"source":"echo 3"}`) < second || strings.Count(sent, "PATCH") != 3 {
		t.Errorf("%d, %s\n%s", r.code, said, sent)
	}
	for _, want := range []string{"xxl_job_logglue+5%3A+the+first+%282024-03-01+10%3A00%3A00%29", "POST /api/v1/groups/etl/tokens", `"token":"hunter-2-secret-token"`, `"label":"from the previous admin, group 1"`} {
		if !strings.Contains(sent, want) {
			t.Errorf("sent\n%s\nwant %s in it", sent, want)
		}
	}
	for _, want := range []string{"token of group etl added", "token of group other skipped", "1 older script version of job load in another language", "2 revisions of older script versions created, of 1 job"} {
		if !strings.Contains(said, want) {
			t.Errorf("said\n%s\nwant %q in it", said, want)
		}
	}
	if strings.Contains(said, "hunter-2") {
		t.Errorf("said\n%s", said)
	}
	again := newFake(t, map[string][]string{
		"GET /groups/etl": {`200 {"namespace":"default","key":"etl","title":"ETL","version":1}`}, "POST /groups": {`201 {"namespace":"default","key":"etl","version":1}`},
		"GET /jobs/load": {"200 " + script}, "PATCH /jobs/load": {"200 " + script},
		"GET /jobs/idle": {"200 " + strings.ReplaceAll(loadJob(time.Time{}), `"load"`, `"idle"`)}, "PATCH /jobs/idle": {"200 " + script},
		"GET /jobs/load/revisions": {`200 {"revisions":[{"number":3,"note":"xxl_job_logglue 6: better"},{"number":2,"note":"xxl_job_logglue 5: the first"}]}`},
		"GET /groups/etl/tokens":   {group(`{"id":"1","label":"from the previous admin, group 1","created_at":"2030-01-01T00:00:00Z","outbound":true,"executors":0}`)},
	})
	r = orth(t.Context(), again.env(), append(args, "--group", "etl")...)
	if said := r.stdout + r.stderr; r.code != 0 || !strings.Contains(said, "No tokens to add") || !strings.Contains(said, "0 revisions") || strings.Contains(again.seen(), `"source"`) {
		t.Errorf("again: %d, %s\n%s", r.code, said, again.seen())
	}
}

// The log is taken over in batches, the same again is the server's to know, and what is
// not over or of no job stays.
func TestImportDatabaseHistory(t *testing.T) {
	t.Parallel()
	address, do, _ := oldRunning(t, time.Now().UTC().Truncate(time.Minute).Add(time.Minute))
	do("ALTER TABLE xxl_job_log ADD handle_time DATETIME, ADD handle_msg TEXT, ADD executor_address TEXT, ADD executor_param TEXT")
	const columns = "INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code, handle_msg) "
	do(columns + "SELECT 1, 1, UTC_TIMESTAMP() - INTERVAL 40 DAY, 200, 200, 'old' FROM seq_1_to_5")
	do(columns + "SELECT 1, 1, UTC_TIMESTAMP() - INTERVAL 2000 - seq SECOND, 200, IF(seq = 3, 500, 200), CONCAT('said ', seq) FROM seq_1_to_700")
	do(columns + "SELECT 1, IF(seq = 1, 77, 1), UTC_TIMESTAMP() - INTERVAL 60 SECOND, 200, IF(seq = 1, 200, 0), NULL FROM seq_1_to_2")
	do(columns + "SELECT 1, 4, UTC_TIMESTAMP() - INTERVAL 50 SECOND, 200, 200, REPEAT('<', 15000) FROM seq_1_to_30")
	server := newFake(t, map[string][]string{
		"GET /groups/etl": {`200 {"namespace":"default","key":"etl","title":"ETL","version":1}`}, "POST /groups": {`201 {"namespace":"default","key":"etl","version":1}`},
		"GET /jobs/load": {"200 " + loadJob(time.Time{})}, "PATCH /jobs/load": {"200 " + loadJob(time.Time{})}, "POST /jobs/load/history": {`200 {"added":500,"known":0}`, `200 {"added":147,"known":50,"old":3}`},
		"GET /jobs/idle": {"200 " + strings.ReplaceAll(loadJob(time.Time{}), `"load"`, `"idle"`)}, "PATCH /jobs/idle": {"200 " + loadJob(time.Time{})},
		"POST /jobs/idle/history": {`200 {"added":5,"known":0}`}, // long texts: no request is of more than 512 KiB
	})
	args := []string{"import", "xxl-job", "--dsn", address, "--zone", "UTC", "--apply", "--history", "--group", "etl"}
	if r := orth(t.Context(), server.env(), append(args, "--dry-run")...); r.code != 0 || !strings.Contains(r.stderr, "+ runs of the log since ") || strings.Contains(server.seen(), "/history") {
		t.Errorf("dry: %d, %s", r.code, r.stderr)
	}
	r := orth(t.Context(), server.env(), append(args, "--yes")...)
	sent := server.seen()
	if r.code != 0 || !strings.Contains(r.stderr, "732 rows of the log: 677 runs added, 50 already imported, 3 beyond retention, 1 unfinished, 1 of jobs that do not exist here") {
		t.Errorf("%d, %s", r.code, r.stderr)
	}
	if strings.Count(sent, "/jobs/load/history") != 2 || strings.Count(sent, "/jobs/idle/history") != 6 || strings.Count(sent, `"number":`) != 730 || strings.Contains(sent, `"old"`) || strings.Count(sent, `"state":"failed"`) != 1 ||
		strings.Count(sent, `"source":"xxl_job_log"`) != 8 {
		t.Errorf("sent %.3000s", sent)
	}
	for args, want := range map[string]string{"--history": "--apply", "--history --apply --history-since 2999-01-01": "in the future"} {
		if r := orth(t.Context(), server.env(), append([]string{"import", "xxl-job", "--dsn", address, "--zone", "UTC", "--yes"}, strings.Fields(args)...)...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d, %s", args, r.code, r.stderr)
		}
	}
}

// What other programs export goes to a server, too: the plan is shown, and carried out
// after a yes.
func TestImportApply(t *testing.T) {
	t.Parallel()
	table, cron := filepath.Join(t.TempDir(), "crontab"), filepath.Join(t.TempDir(), "cron.yaml")
	if err := os.WriteFile(table, []byte("# Tidy up\n30 2 * * * rm -rf /tmp/old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cron, []byte(`apiVersion: batch/v1
kind: CronJob
metadata: {name: tidy}
spec:
  schedule: "30 2 * * *"
  jobTemplate: {spec: {template: {spec: {containers: [{name: c, image: busybox, command: [echo, tidy]}]}}}}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for from, c := range map[string]struct{ key, cron, code string }{
		"crontab " + table: {"rm", "30 2 * * *", "rm -rf /tmp/old"}, "kubernetes " + cron: {"tidy", "30 2 * * *", "tidy"},
	} {
		server := newFake(t, map[string][]string{"GET /jobs/" + c.key: {noSuch}, "POST /jobs": {"201 " + byHand}})
		args := append(append([]string{"import"}, strings.Fields(from)...), "--group", "ops", "--zone", "Europe/Berlin", "--apply")
		if r := orth(t.Context(), server.env(), append(args, "--dry-run")...); r.code != 0 || strings.Contains(server.seen(), "POST") || !strings.Contains(r.stdout, c.key) {
			t.Errorf("%s, dry: %d, %s\n%s", from, r.code, r.stdout+r.stderr, server.seen())
		}
		if r := orth(t.Context(), server.env(), args...); r.code != 2 || strings.Contains(server.seen(), "POST") {
			t.Errorf("%s, nobody is asked: %d, %s", from, r.code, r.stderr)
		}
		r := orth(t.Context(), server.env(), append(args, "--yes")...)
		sent := server.seen()
		if r.code != 0 || strings.Count(sent, "POST /api/v1/jobs") != 1 || strings.Contains(sent, `"enabled":true`) {
			t.Errorf("%s: %d, %s\n%s", from, r.code, r.stdout+r.stderr, sent)
		}
		for _, want := range []string{`"key":"` + c.key + `"`, `"group":"ops"`, `"cron":"` + c.cron + `"`, `"zone":"Europe/Berlin"`, c.code} {
			if !strings.Contains(sent, want) {
				t.Errorf("%s: sent\n%s\nwant %s in it", from, sent, want)
			}
		}
	}
}
