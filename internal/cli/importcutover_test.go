package cli_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/store/dbtest"
)

// millis is how the API writes instants.
const millis = "2006-01-02T15:04:05.000Z07:00"

// oldRunning returns the address of a database with a job of each minute, and
// functions that change it and ask it for one column.
func oldRunning(t *testing.T, next time.Time) (address string, do func(query string), ask func(query string) []string) {
	t.Helper()
	address = oldDatabase(t)
	db := dbtest.Open(t, "mysql", address)
	do = func(query string) {
		t.Helper()
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	ask = func(query string) (all []string) {
		t.Helper()
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer rows.Close()
		for rows.Next() {
			var one string
			if err := rows.Scan(&one); err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, one := range []string{
		"ALTER TABLE xxl_job_info ADD trigger_status INT NOT NULL DEFAULT 0, ADD trigger_next_time BIGINT NOT NULL DEFAULT 0, ADD executor_fail_retry_count INT NOT NULL DEFAULT 0",
		"CREATE TABLE xxl_job_log (id BIGINT AUTO_INCREMENT PRIMARY KEY, job_group INT, job_id INT, trigger_time DATETIME, trigger_code INT, handle_code INT, executor_fail_retry_count INT)",
		"CREATE TABLE xxl_job_lock (lock_name VARCHAR(50) PRIMARY KEY)", "INSERT INTO xxl_job_lock VALUES ('schedule_lock')",
		"INSERT INTO xxl_job_group VALUES (2, 'other', 'Other', 0, '')",
		"INSERT INTO xxl_job_info VALUES (3, 2, 'Else', 'ROUND', 'else', 'BEAN', 'CRON', '0 * * * * ?', 1, 1, 0)",
		"INSERT INTO xxl_job_info VALUES (4, 1, 'Idle', 'ROUND', 'idle', 'BEAN', 'CRON', '0 * * * * ?', 0, 0, 0)",
		fmt.Sprintf("UPDATE xxl_job_info SET schedule_conf = '0 * * * * ?', trigger_status = 1, trigger_next_time = %d WHERE id = 1", next.UnixMilli()),
	} {
		do(one)
	}
	return address, do, ask
}

// noRuns is a list without any.
const noRuns = `200 {"runs":[]}`

// loadJob is the job of the database as a server has it.
func loadJob(next time.Time) string {
	enabled, at := "false", ""
	if !next.IsZero() {
		enabled, at = "true", `,"next_at":"`+next.Format(time.RFC3339)+`"`
	}
	return `{"id":7,"namespace":"default","key":"load","group":"etl","schedule":{"kind":"cron","cron":"0 * * * * ?"},"handler":{"kind":"named","name":"load"},"version":1,"enabled":` +
		enabled + at + `,"misfire":"skip","route":"round","overlap":"serial","overlap_scope":"executor","on_crash":"report","created_at":"2030-01-01T00:00:00Z","updated_at":"2030-01-01T00:00:00Z"}`
}

// A group is moved: its jobs are stopped there, in one transaction, nothing else is, and
// each is started here; what fell between is made up for.
func TestImportDatabaseCutover(t *testing.T) {
	t.Parallel()
	minute := time.Now().UTC().Truncate(time.Minute)
	due := minute.Add(-time.Minute) // the old server has not come to it
	address, do, ask := oldRunning(t, due)
	server := newFake(t, map[string][]string{
		"GET /groups/etl": {noSuch}, "POST /groups": {`201 {"namespace":"default","key":"etl","version":1}`},
		"GET /jobs/load": {noSuch, "200 " + loadJob(time.Time{})}, "GET /jobs/idle": {noSuch, "200 " + strings.ReplaceAll(loadJob(time.Time{}), `"load"`, `"idle"`)},
		"POST /jobs": {"201 " + loadJob(time.Time{})}, "POST /jobs/load/start": {"200 " + loadJob(minute.Add(time.Minute))},
		"POST /jobs/load/trigger": {`201 {"id":"9","job":"load","state":"planned"}`}, "GET /runs": {noRuns}, "POST /jobs/load/stop": {"200 " + loadJob(time.Time{})},
	})
	args := []string{"import", "xxl-job", "--dsn", address, "--zone", "UTC", "--apply", "--group", "etl", "--enable", "--stop-old", "--yes", "--namespace", "default"}
	r := orth(t.Context(), server.env(), args...)
	sent, said := server.seen(), r.stdout+r.stderr
	if r.code != 0 || !strings.Contains(said, "1 job of group etl cut over") {
		t.Fatalf("%d, %s", r.code, said)
	}
	for _, want := range []string{"POST /api/v1/jobs/load/start", `"planned_at":"` + due.Format(millis) + `"`, `"planned_at":"` + minute.Format(millis) + `"`} {
		if strings.Count(sent, want) != 1 {
			t.Errorf("sent\n%s\nwant %s in it, once", sent, want)
		}
	}
	for _, not := range []string{"idle/start", `"key":"else"`, `"enabled":true`} {
		if strings.Contains(sent, not) {
			t.Errorf("sent\n%s\nwith %s", sent, not)
		}
	}
	_, wayBack, _ := strings.Cut(r.stderr, "To roll back, ")
	here, back, found := strings.Cut(wayBack, "start them in the old database with\n  ")
	back, _, whole := strings.Cut(back, "\n")
	if !found || !whole {
		t.Fatalf("said\n%s\nwithout the way back", said)
	}
	standing := func() string {
		return strings.Join(ask("SELECT CONCAT(id, ':', trigger_status, ':', trigger_next_time) FROM xxl_job_info ORDER BY id"), " ")
	}
	if got, want := standing(), fmt.Sprintf("1:0:%d 2:0:0 3:1:1 4:0:0", due.UnixMilli()); got != want {
		t.Errorf("there stand %s, want %s", got, want)
	}
	for _, line := range printed(here) {
		if again := orth(t.Context(), map[string]string{"ORTH_TOKEN": token}, line[1:]...); again.code != 0 {
			t.Errorf("%q: exit code %d, %s", line, again.code, again.stderr)
		}
	}
	if sent := server.seen(); strings.Count(sent, "POST /api/v1/jobs/load/stop?namespace=default") != 1 {
		t.Errorf("after the way back the job is not stopped here: sent\n%s", sent)
	}
	do(back)
	if got, want := standing(), fmt.Sprintf("1:1:%d 2:0:0 3:1:1 4:0:0", due.UnixMilli()); got != want {
		t.Errorf("after the way back there stand %s, want %s", got, want)
	}
}

// A job whose next firing there is none here is not moved, and a dry run moves nothing.
func TestImportDatabaseCutoverRefuses(t *testing.T) {
	t.Parallel()
	odd := time.Now().UTC().Truncate(time.Minute).Add(90 * time.Second)
	address, do, _ := oldRunning(t, odd)
	server := newFake(t, map[string][]string{
		"GET /groups/etl": {noSuch}, "POST /groups": {`201 {"namespace":"default","key":"etl","version":1}`},
		"GET /jobs/load": {"200 " + loadJob(time.Time{})}, "GET /jobs/idle": {"200 " + strings.ReplaceAll(loadJob(time.Time{}), `"load"`, `"idle"`)},
		"PATCH /jobs/load": {"200 " + loadJob(time.Time{})}, "PATCH /jobs/idle": {"200 " + loadJob(time.Time{})},
	})
	args := []string{"import", "xxl-job", "--dsn", address, "--zone", "UTC", "--apply", "--group", "etl", "--enable", "--stop-old"}
	r := orth(t.Context(), server.env(), append(args, "--yes")...)
	if r.code != 0 || !strings.Contains(r.stderr, "check --zone") || strings.Contains(server.seen(), "/start") {
		t.Errorf("%d, %s\n%s", r.code, r.stderr, server.seen())
	}
	do(fmt.Sprintf("UPDATE xxl_job_info SET trigger_next_time = %d WHERE id = 1", odd.Truncate(time.Minute).UnixMilli()))
	r = orth(t.Context(), server.env(), append(args, "--dry-run")...)
	if r.code != 0 || !strings.Contains(r.stdout, "load") || strings.Contains(server.seen(), "/start") {
		t.Errorf("dry: %d, %s\n%s", r.code, r.stdout+r.stderr, server.seen())
	}
	for args, want := range map[string]string{"--stop-old": "by group", "--wait 25h": "--wait"} {
		r := orth(t.Context(), nil, append([]string{"import", "xxl-job", "--dsn", address}, strings.Split(args, " ")...)...)
		if r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d, %s", args, r.code, r.stderr)
		}
	}
}

// Without --stop-old nothing is written there: the job is started when somebody has
// stopped it, and what the old server still fired is not fired again.
func TestImportDatabaseCutoverWaits(t *testing.T) {
	t.Parallel()
	minute := time.Now().UTC().Truncate(time.Minute)
	due := minute.Add(-time.Minute)
	address, do, _ := oldRunning(t, due)
	server := newFake(t, map[string][]string{
		"GET /groups/etl": {noSuch}, "POST /groups": {`201 {"namespace":"default","key":"etl","version":1}`},
		"GET /jobs/load": {"200 " + loadJob(time.Time{})}, "GET /jobs/idle": {"200 " + strings.ReplaceAll(loadJob(time.Time{}), `"load"`, `"idle"`)},
		"PATCH /jobs/load": {"200 " + loadJob(time.Time{})}, "PATCH /jobs/idle": {"200 " + loadJob(time.Time{})},
		"POST /jobs/load/start": {"200 " + loadJob(minute.Add(time.Minute))}, "POST /jobs/load/trigger": {`201 {"id":"9","job":"load","state":"planned"}`}, "GET /runs": {noRuns},
	})
	done := make(chan result, 1)
	go func() {
		done <- orth(t.Context(), server.env(), "import", "xxl-job", "--dsn", address, "--zone", "UTC", "--apply", "--group", "etl", "--enable", "--yes", "--wait", "1m")
	}()
	// The second time it has read what is to be moved; the first time it was about what is to be changed.
	for strings.Count(server.seen(), "GET /api/v1/jobs/load?") < 2 {
		if t.Context().Err() != nil {
			t.Fatal(server.seen())
		}
		do("DO SLEEP(0.05)")
	}
	// The old admin fires one more, and somebody stops the job in its console.
	do(fmt.Sprintf("INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code) VALUES (1, 1, '%s', 200, 200)", due.Format("2006-01-02 15:04:05")))
	do("UPDATE xxl_job_info SET trigger_status = 0, trigger_next_time = 0 WHERE id = 1")
	r := <-done
	sent := server.seen()
	if r.code != 0 || !strings.Contains(r.stderr, "job load is stopped there") || strings.Count(sent, "/jobs/load/start") != 1 {
		t.Fatalf("%d, %s\n%s", r.code, r.stderr, sent)
	}
	if strings.Contains(sent, due.Format(millis)) || !strings.Contains(sent, `"planned_at":"`+minute.Format(millis)) {
		t.Errorf("sent\n%s\nwant the firing of %s made up for, and not that of %s", sent, minute, due)
	}
}

// A job that somebody stops in the old console while the command asks, or waits for the
// lock of the old scheduler, is started nowhere.
func TestImportDatabaseCutoverSkipsJobsStoppedByOthers(t *testing.T) {
	t.Parallel()
	address, do, ask := oldRunning(t, time.Now().UTC().Truncate(time.Minute).Add(time.Minute))
	server := newFake(t, map[string][]string{
		"GET /groups/etl": {noSuch}, "POST /groups": {`201 {"namespace":"default","key":"etl","version":1}`},
		"GET /jobs/load": {"200 " + loadJob(time.Time{})}, "GET /jobs/idle": {"200 " + strings.ReplaceAll(loadJob(time.Time{}), `"load"`, `"idle"`)},
		"PATCH /jobs/load": {"200 " + loadJob(time.Time{})}, "PATCH /jobs/idle": {"200 " + loadJob(time.Time{})},
	})
	tx, err := dbtest.Open(t, "mysql", address).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), "SELECT lock_name FROM xxl_job_lock FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	var own int64 // its statement may be listed for a moment after its end
	if err := tx.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&own); err != nil {
		t.Fatal(err)
	}
	done := make(chan result, 1)
	go func() {
		done <- orth(t.Context(), server.env(), "import", "xxl-job", "--dsn", address, "--zone", "UTC", "--apply", "--group", "etl", "--enable", "--stop-old", "--yes")
	}()
	waiting := "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE 'SELECT lock_name FROM%FOR UPDATE' AND id <> " + strconv.FormatInt(own, 10)
	for ask(waiting)[0] == "0" {
		if t.Context().Err() != nil {
			t.Fatal(server.seen())
		}
		do("DO SLEEP(0.02)")
	}
	do("UPDATE xxl_job_info SET trigger_status = 0, trigger_next_time = 0 WHERE id = 1")
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	r := <-done
	if r.code != 0 || !strings.Contains(r.stderr, "it was stopped there by someone else") || !strings.Contains(r.stderr, "0 jobs of group etl cut over") || strings.Contains(server.seen(), "/start") {
		t.Errorf("%d, %s\n%s", r.code, r.stderr, server.seen())
	}
}

// A command that was killed after a start here is followed by the same one, which makes up
// for what fell between and was not made up for; what has a run here is not made again.
func TestImportDatabaseCutoverResumes(t *testing.T) {
	t.Parallel()
	minute := time.Now().UTC().Truncate(time.Minute)
	due := minute.Add(-3 * time.Minute)
	address, do, _ := oldRunning(t, due)
	do("UPDATE xxl_job_info SET trigger_status = 0 WHERE id = 1")
	run := func(id int, slot time.Time, cause string) string {
		return fmt.Sprintf(`{"id":%q,"job_id":7,"job_key":"load","planned_at":%q,"cause":%q,"state":"succeeded","final":true,"tries":1,"created_at":"2030-01-01T00:00:00Z"}`, strconv.Itoa(id), slot.Format(time.RFC3339), cause)
	}
	server := newFake(t, map[string][]string{
		"GET /groups/etl": {noSuch}, "POST /groups": {`201 {"namespace":"default","key":"etl","version":1}`},
		"GET /jobs/load": {"200 " + loadJob(minute.Add(time.Minute))}, "GET /jobs/idle": {"200 " + strings.ReplaceAll(loadJob(time.Time{}), `"load"`, `"idle"`)},
		"PATCH /jobs/load": {"200 " + loadJob(minute.Add(time.Minute))}, "PATCH /jobs/idle": {"200 " + loadJob(time.Time{})},
		"GET /runs":               {`200 {"runs":[` + run(8, due, "manual") + "," + run(9, minute.Add(-time.Minute), "schedule") + `]}`},
		"POST /jobs/load/trigger": {`201 {"id":"9","job":"load","state":"planned"}`},
	})
	r := orth(t.Context(), server.env(), "import", "xxl-job", "--dsn", address, "--zone", "UTC", "--apply", "--group", "etl", "--enable", "--stop-old", "--yes")
	sent := server.seen()
	if r.code != 0 || strings.Contains(sent, "/start") || strings.Count(sent, "/jobs/load/trigger") != 1 || strings.Count(sent, `"planned_at":"`+minute.Add(-2*time.Minute).Format(millis)+`"`) != 1 {
		t.Errorf("%d, %s\n%s", r.code, r.stderr, sent)
	}
}
