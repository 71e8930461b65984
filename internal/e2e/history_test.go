//go:build unix

package e2e

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// The log of an XXL-JOB is taken over from its database, twice, and once more after there
// is more of it: each row is one run, which counts on the day of its end and wakes nobody.
func TestImportHistory(t *testing.T) {
	t.Parallel()
	old, dsn, _ := newMariaDB(t)
	do := func(statements ...string) {
		t.Helper()
		for _, one := range statements {
			if _, err := old.ExecContext(t.Context(), one); err != nil {
				t.Fatalf("%s: %v", one, err)
			}
		}
	}
	day := job.DayOf(time.Now().Add(-48 * time.Hour))
	at := day.Format(time.DateTime)
	do(`CREATE TABLE xxl_job_group (id INT PRIMARY KEY AUTO_INCREMENT, app_name VARCHAR(64) NOT NULL, title VARCHAR(64) NOT NULL, address_type TINYINT NOT NULL DEFAULT 0, address_list TEXT, update_time DATETIME)`,
		`CREATE TABLE xxl_job_info (id INT PRIMARY KEY AUTO_INCREMENT, job_group INT NOT NULL, job_desc VARCHAR(255) NOT NULL, add_time DATETIME, update_time DATETIME, author VARCHAR(64), alarm_email VARCHAR(255),
			schedule_type VARCHAR(50) NOT NULL DEFAULT 'NONE', schedule_conf VARCHAR(128), misfire_strategy VARCHAR(50) NOT NULL DEFAULT 'DO_NOTHING', executor_route_strategy VARCHAR(50), executor_handler VARCHAR(255),
			executor_param VARCHAR(512), executor_block_strategy VARCHAR(50), executor_timeout INT NOT NULL DEFAULT 0, executor_fail_retry_count INT NOT NULL DEFAULT 0, glue_type VARCHAR(50) NOT NULL, glue_source MEDIUMTEXT,
			glue_remark VARCHAR(128), glue_updatetime DATETIME, child_jobid VARCHAR(255), trigger_status TINYINT NOT NULL DEFAULT 0, trigger_last_time BIGINT NOT NULL DEFAULT 0, trigger_next_time BIGINT NOT NULL DEFAULT 0)`,
		`CREATE TABLE xxl_job_log (id BIGINT PRIMARY KEY AUTO_INCREMENT, job_group INT NOT NULL, job_id INT NOT NULL, executor_address VARCHAR(255), executor_handler VARCHAR(255), executor_param VARCHAR(512),
			executor_sharding_param VARCHAR(20), executor_fail_retry_count INT NOT NULL DEFAULT 0, trigger_time DATETIME, trigger_code INT NOT NULL, trigger_msg TEXT, handle_time DATETIME, handle_code INT NOT NULL,
			handle_msg TEXT, alarm_status TINYINT NOT NULL DEFAULT 0, KEY I_trigger_time (trigger_time), KEY I_handle_code (handle_code))`,
		`INSERT INTO xxl_job_group (app_name, title) VALUES ('etl', 'ETL')`,
		`INSERT INTO xxl_job_info (job_group, job_desc, executor_route_strategy, executor_block_strategy, executor_handler, glue_type, schedule_type, schedule_conf, trigger_status)
			VALUES (1, 'load', 'ROUND', 'SERIAL_EXECUTION', 'load', 'BEAN', 'CRON', '0 0 2 * * ?', 1)`,
		`INSERT INTO xxl_job_log (job_group, job_id, executor_address, trigger_time, trigger_code, handle_time, handle_code, handle_msg)
			SELECT 1, 1, 'http://10.0.0.5:9999/', '`+at+`' + INTERVAL seq SECOND, 200, '`+at+`' + INTERVAL seq + 2 SECOND, IF(seq % 10 = 0, 500, 200), CONCAT('<b>step</b> ', seq) FROM seq_1_to_1200`,
		`INSERT INTO xxl_job_log (job_group, job_id, trigger_time, trigger_code, handle_code) VALUES (1, 1, '`+at+`', 500, 0), (1, 1, UTC_DATE() - INTERVAL 40 DAY, 200, 200), (1, 1, UTC_TIMESTAMP(), 200, 0)`)
	s := newSite(t)
	s.startServer(allowPrivate)
	s.hook("nowhere", "http://127.0.0.1:1/")
	s.rule("bad", "nowhere", api.AlarmRuleFields{Kinds: []alarm.Kind{alarm.KindFailed}, GroupBy: alarm.ByJob})
	take := func(want string) {
		t.Helper()
		_, stderr, code := s.try("import", "xxl-job", "--dsn", dsn, "--zone", "UTC", "--apply", "--history", "--history-since", "1440h", "--yes")
		if code != 0 || !strings.Contains(stderr, want) {
			t.Fatalf("exit code %d, want %q in\n%s", code, want, stderr)
		}
	}
	take("1203 rows of the log: 1201 runs added, 0 already imported, 1 beyond retention, 1 unfinished, 0 of jobs that do not exist here")
	take("1203 rows of the log: 0 runs added, 1201 already imported, 1 beyond retention, 1 unfinished")
	do("UPDATE xxl_job_log SET handle_code = 200, handle_time = UTC_TIMESTAMP() WHERE trigger_code = 200 AND handle_code = 0")
	take("1203 rows of the log: 1 run added, 1201 already imported")

	found, err := s.api().Stats(t.Context(), client.StatsQuery{Job: "load", From: day, To: day})
	if err != nil {
		t.Fatal(err)
	}
	if f := found.Total; f.Runs != 1201 || f.Succeeded != 1080 || f.Failed != 121 || f.Attempts != 0 || time.Duration(f.MeanTook) != 2*time.Second {
		t.Errorf("the day counts %+v", f)
	}
	newest := s.runs("load")[0]
	if newest.State != job.Succeeded || !strings.Contains(newest.Reason, "xxl_job_log ") {
		t.Errorf("the newest run is %+v", newest)
	}
	// The one failure of here is the one alarm; what others have done is over.
	s.startExecutor()
	s.orth("job", "create", "broken", "--group", s.group, "--manual", "--shell", "exit 1")
	s.trigger("broken")
	eventually(t, func() error {
		if len(s.alarms(client.AlarmQuery{})) == 0 {
			return errors.New("there is no alarm yet")
		}
		return nil
	})
	if all := s.alarms(client.AlarmQuery{}); len(all) != 1 || all[0].JobKey != "broken" {
		t.Errorf("there are the alarms %+v", all)
	}
}
