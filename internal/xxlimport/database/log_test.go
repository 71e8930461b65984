package database

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// logOf returns statements that write rows of the log at times of the table.
func logOf(release string, jobID int, times ...string) (statements []string) {
	for _, at := range times {
		statements = append(statements, fmt.Sprintf(
			"INSERT INTO %slog (job_group, job_id, trigger_time, trigger_code, handle_code) VALUES (1, %d, '%s', 200, 200)", prefixOf(release), jobID, at))
	}
	return statements
}

// The plans and the log of every release are read, and a firing that is missing is found.
func TestLogReleases(t *testing.T) {
	t.Parallel()
	for _, release := range releases() {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			next := time.Date(2030, 1, 31, 2, 30, 0, 0, time.UTC)
			statements := append(schemaOf(release), contentsOf(release)...)
			statements = append(statements, logOf(release, 1, "2030-01-27 02:30:00", "2030-01-28 02:30:01", "2030-01-30 02:30:00")...)
			statements = append(statements, fmt.Sprintf("UPDATE %sinfo SET trigger_next_time = %d WHERE id = 1", prefixOf(release), next.UnixMilli()))
			_, reader := mariadb(t, statements...)
			l, err := source(t, reader).Log(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			plans, err := l.Plans(t.Context())
			if err != nil || len(plans.Groups) != 2 || len(plans.Jobs) < 2 || plans.ZoneFrom == "" || time.Since(plans.Now).Abs() > time.Minute {
				t.Fatalf("%+v, %v", plans, err)
			}
			plan := xxlimport.PlanOf(plans.Jobs[0], "UTC", time.UTC)
			if on, err := plan.OnSlot(); err != nil || !on || plan.Name != "Nightly Report" || !plan.Started || plan.Retries != 2 || plan.Spec.Kind != schedule.KindCron {
				t.Errorf("%+v: %t, %v", plan, on, err)
			}
			sched, err := plan.Spec.Compile()
			if err != nil {
				t.Fatal(err)
			}
			judge := xxlimport.NewJudge(time.Date(2030, 1, 27, 0, 0, 0, 0, time.UTC))
			judge.Follow(sched, 0)
			rows, err := l.After(t.Context(), 0, 10)
			if err != nil || len(rows) != 3 {
				t.Fatalf("%v, %v", rows, err)
			}
			for _, r := range rows {
				sent, ok := xxlimport.SentOf(r, time.UTC)
				if !ok {
					t.Fatalf("%v has no time", r)
				}
				judge.Sent(sent)
			}
			if v := judge.Finish(time.Date(2030, 1, 30, 12, 0, 0, 0, time.UTC)); v.Matching != 3 || v.Missing != 1 || v.Differences[0].Slot.Day() != 29 {
				t.Errorf("%+v", v)
			}
			if codes, err := l.Codes(t.Context(), 2); err != nil || len(codes) != 2 || codes[0]["glue_remark"] != "a" || codes[1]["glue_source"] != "echo 2" {
				t.Errorf("codes %v, %v", codes, err)
			}
			if newest, err := l.Newest(t.Context()); err != nil || newest != 3 {
				t.Errorf("the newest is %d, %v", newest, err)
			}
		})
	}
}

// The begin of a time is found among ids with gaps, in the zone of the table, and pages
// follow each other.
func TestLogBefore(t *testing.T) {
	t.Parallel()
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	statements := schemaOf("3.4")
	statements = append(statements,
		"INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code) SELECT 100 + 3 * seq, 1, 1, '2030-01-31 08:00:00' + INTERVAL seq MINUTE, 200, 200 FROM seq_1_to_500",
		"UPDATE xxl_job_log SET trigger_time = NULL WHERE id = 250")
	_, reader := mariadb(t, statements...)
	l, err := source(t, reader).Log(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2030, 1, 31, 0, 0, 0, 0, time.UTC) // 08:00 in Shanghai
	for _, c := range []struct {
		since time.Time
		id    int64
		first time.Time
	}{
		{begin, 0, begin.Add(time.Minute)},
		{begin.Add(10*time.Minute + time.Second), 130, begin.Add(11 * time.Minute)},
		{begin.Add(500 * time.Minute), 100 + 3*499, begin.Add(500 * time.Minute)},
		{begin.Add(501 * time.Minute), 100 + 3*500, time.Time{}},
	} {
		if id, first, err := l.Before(t.Context(), c.since, shanghai); err != nil || id != c.id || !first.Equal(c.first) {
			t.Errorf("since %s: %d, %s, %v; want %d, %s", c.since, id, first, err, c.id, c.first)
		}
	}
	seen := 0
	for after := int64(0); ; {
		rows, err := l.After(t.Context(), after, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if sent, ok := xxlimport.SentOf(r, shanghai); ok {
				after = sent.ID
			}
			seen++
		}
		if len(rows) < 64 {
			break
		}
	}
	if seen != 500 {
		t.Errorf("%d rows were read, want 500", seen)
	}
}

// Without a log there is nothing to compare, and that is told.
func TestLogRefuses(t *testing.T) {
	t.Parallel()
	_, reader := mariadb(t, append(schemaOf("3.4"), "DROP TABLE xxl_job_log")...)
	l, err := source(t, reader).Log(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.After(t.Context(), 0, 1); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "xxl_job_log") {
		t.Errorf("got %v", err)
	}
}

// The begin of a time is found in a log some of whose rows lie about their time: far in the
// past, in the future, on a day that never was; and the pages after it are all read.
func TestLogBeforeLies(t *testing.T) {
	t.Parallel()
	statements := schemaOf("3.4")
	statements = append(statements,
		"SET SESSION sql_mode = ''",
		"INSERT INTO xxl_job_log (id, job_group, job_id, trigger_time, trigger_code, handle_code) SELECT 100 + 3 * seq, 1, 1, '2030-01-31 08:00:00' + INTERVAL seq MINUTE, 200, 200 FROM seq_1_to_500",
		"UPDATE xxl_job_log SET trigger_time = '0000-00-00 00:00:00' WHERE id IN (103, 850, 853, 856, 859, 862, 865, 868, 871, 874, 877)",
		"UPDATE xxl_job_log SET trigger_time = '1970-01-01 00:00:01' WHERE id IN (847, 1102, 1540)",
		"UPDATE xxl_job_log SET trigger_time = '9999-12-31 23:59:59' WHERE id IN (106, 475, 661, 1600)")
	_, reader := mariadb(t, statements...)
	l, err := source(t, reader).Log(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)
	for minute := 3; minute < 500; minute += 5 {
		since := begin.Add(time.Duration(minute)*time.Minute + time.Second)
		id, _, err := l.Before(t.Context(), since, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		// Nothing of the time is left out, and hardly more is read. A row that says of itself
		// that it is older is.
		last := int64(100 + 3*minute)
		lies := id == last+3 && slices.Contains([]int64{847, 1102, 1540}, id)
		if id > last && !lies || id < last-3*4*probed && last > 100+3*4*probed {
			t.Errorf("since minute %d: %d, want about %d", minute, id, last)
		}
	}
}
