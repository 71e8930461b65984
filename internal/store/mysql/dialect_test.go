package mysql

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/store/storetest"
)

func TestRebind(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"SELECT a FROM b WHERE c = ? AND d IN (?, ?)":          "SELECT a FROM b WHERE c = ? AND d IN (?, ?)",
		"SELECT s.groups, groups FROM executor_groups":         "SELECT s.`groups`, `groups` FROM executor_groups",
		"UPDATE executors SET manual = 1, note = 'manual ''?'": "UPDATE executors SET `manual` = 1, note = 'manual ''?'",
		"SELECT c.lines, b.parallel, first_line FROM c":        "SELECT c.`lines`, b.`parallel`, first_line FROM c",
		"FROM a b CROSS JOIN c d ON d.e = b.e":                 "FROM a b STRAIGHT_JOIN c d ON d.e = b.e",
		"SELECT COALESCE(SUM(a), 0), MAX(b) FROM c":            "SELECT COALESCE(CAST(SUM(a) AS SIGNED), 0), MAX(b) FROM c",
		"INSTR(a.b, LOWER(COALESCE(c, ''))) > LOWER(?)": "INSTR(a.b, CAST(LOWER(CONVERT(CAST(COALESCE(c, '') AS BINARY) USING tis620)) AS BINARY)) >" +
			" CAST(LOWER(CONVERT(CAST(? AS BINARY) USING tis620)) AS BINARY)",
		"CASE WHEN a > 0 THEN CAST(? AS BIGINT) END":                                                            "CASE WHEN a > 0 THEN CAST(? AS SIGNED) END",
		"FROM runs WHERE group_id = ? AND ready_at > 0 LIMIT ?":                                                 "FROM runs WHERE ready_group = ? AND ready_at > 0 LIMIT ?",
		"FROM runs r WHERE r.group_id = ? AND r.priority IN (0, 1, 2) AND r.ready_at > 0 AND r.ready_at <= ?":   "FROM runs r WHERE r.ready_group = ? AND r.priority IN (0, 1, 2) AND r.ready_at > 0 AND r.ready_at <= ?",
		"EXISTS (SELECT 1 FROM runs r WHERE r.group_id = g.id AND r.ready_at > 0)":                              "EXISTS (SELECT 1 FROM runs r WHERE r.ready_group = g.id AND r.ready_at > 0)",
		"FROM executor_groups g CROSS JOIN runs r ON r.group_id = g.id WHERE r.ready_at > 0 AND r.due_at <= ?":  "FROM executor_groups g STRAIGHT_JOIN runs r ON r.ready_group = g.id WHERE r.ready_at > 0 AND r.due_at <= ?",
		"FROM executor_groups g CROSS JOIN runs r ON r.group_id = g.id WHERE r.due_at <= ?":                     "FROM executor_groups g STRAIGHT_JOIN runs r ON r.group_id = g.id WHERE r.due_at <= ?",
		"WHERE r.expires_at > 0 AND r.expires_at <= ? AND r.ready_at > 0 AND r.tries = 0 ORDER BY r.expires_at": "WHERE r.ready_expires > 0 AND r.ready_expires <= ? AND r.tries = 0 ORDER BY r.ready_expires",
		"DELETE FROM evidence WHERE attempt_id IN (SELECT id FROM attempts WHERE run_id = ?)":                   "DELETE evidence FROM attempts STRAIGHT_JOIN evidence ON evidence.attempt_id = attempts.id WHERE attempts.run_id = ?",
		"FROM runs r WHERE r.attempt_id IN (?,?) AND r.tries > 1 AND r.triggered_at IS NOT NULL":                "FROM runs r WHERE r.again_attempt IN (?,?) AND r.tries > 1 AND r.triggered_at IS NOT NULL",
		"FROM runs r WHERE r.state = ? AND r.state <> 'succeeded' AND r.ended_at > 0 AND r.id < ?":              "FROM runs r WHERE r.bad_state = ? AND r.id < ?",
		"SELECT id FROM runs WHERE state = ? AND state <> 'succeeded' AND ended_at > 0 AND id < ?":              "SELECT id FROM runs WHERE bad_state = ? AND id < ?",
		"DELETE FROM evidence WHERE attempt_id IN (?, ?)":                                                       "DELETE FROM evidence WHERE attempt_id IN (?, ?)",
		"UPDATE runs SET ready_at = due_at\n\t\tWHERE ready_at IS NOT NULL AND id IN (SELECT run_id FROM blocked WHERE job_id = ?)": "UPDATE blocked w STRAIGHT_JOIN runs ON runs.id = w.run_id" +
			" SET runs.ready_at = due_at WHERE w.job_id = ? AND runs.ready_at IS NOT NULL",
		"UPDATE job_plans SET look_at = ? WHERE job_id IN (SELECT job_id FROM job_calendars WHERE calendar_id = ?) AND look_at > ?": "UPDATE job_calendars w" +
			" STRAIGHT_JOIN job_plans ON job_plans.job_id = w.job_id SET job_plans.look_at = ? WHERE w.calendar_id = ? AND job_plans.look_at > ?",
		"UPDATE p SET c = CASE WHEN c <= ? THEN c ELSE ? END WHERE id IN (SELECT c.p FROM a JOIN c ON c.a = a.id WHERE a.r = ?)": "UPDATE a JOIN c ON c.a = a.id" +
			" STRAIGHT_JOIN p ON p.id = c.p SET p.c = CASE WHEN p.c <= ? THEN p.c ELSE ? END WHERE a.r = ?",
		"UPDATE runs SET job_version = (SELECT version FROM jobs WHERE id = runs.job_id) WHERE group_id IN (SELECT group_id FROM jobs WHERE template = ? AND template > 0)" +
			" AND ready_at > 0 AND job_id IN (SELECT id FROM jobs WHERE template = ? AND template > 0)": "UPDATE jobs w STRAIGHT_JOIN runs ON runs.ready_group = w.group_id" +
			" SET runs.job_version = (SELECT version FROM jobs WHERE id = runs.job_id) WHERE w.template = ? AND w.template > 0 AND runs.ready_at > 0" +
			" AND runs.job_id IN (SELECT id FROM jobs WHERE template = ? AND template > 0)",
	} {
		if got := rebind(query); got != want {
			t.Errorf("%s\n became %s\n want   %s", query, got, want)
		}
	}
}

// MySQL takes a subquery of the table that it changes only in a table of its own.
func TestRebindApart(t *testing.T) {
	t.Parallel()
	const query = "UPDATE runs SET tries = ? WHERE id = ? AND (SELECT o.id FROM runs o WHERE o.open_job = ? LIMIT 1 OFFSET ?) IS NULL AND NOT EXISTS (SELECT 1 FROM blocked)"
	const want = "UPDATE runs SET tries = ? WHERE id = ? AND (SELECT own.id FROM (SELECT o.id FROM runs o WHERE o.open_job = ? LIMIT 1 OFFSET ?) own) IS NULL AND NOT EXISTS (SELECT 1 FROM blocked)"
	if got := rebindApart(query); got != want {
		t.Errorf("%s\n became %s\n want   %s", query, got, want)
	}
	if !ownRows.MatchString(storetest.Statements(t)["dispatchFree"]) {
		t.Error("the statement that needs it is written otherwise")
	}
}

func TestKeepFirst(t *testing.T) {
	t.Parallel()
	taken := func(key string) error {
		return fmt.Errorf("insert: %w", &mysql.MySQLError{Number: 1062, Message: "Duplicate entry '1' for key '" + key + "'"})
	}
	own := keepFirst("INSERT INTO stats_daily (day, job_id) VALUES (?, ?)", "day", "job_id")
	other := keepFirst("INSERT INTO runs (id, job_id, cause) VALUES (?, ?, ?)", "job_id", "cause")
	for _, c := range []struct {
		insert string
		err    error
		want   bool
	}{
		{own, taken("PRIMARY"), true},
		{own, taken("stats_daily.PRIMARY"), true},
		{own, taken("stats_daily_other"), false},
		{other, taken("runs_firing"), true},
		{other, taken("runs.runs_firing"), true},
		{other, taken("PRIMARY"), false},
		{other, taken("runs.PRIMARY"), false},
		{"INSERT INTO stats_daily (day, job_id) VALUES (?, ?)", taken("PRIMARY"), false},
		{own, &mysql.MySQLError{Number: 1406, Message: "Data too long for column 'x' at row 1 'PRIMARY'"}, false},
		{own, driver.ErrBadConn, false},
	} {
		if got := kept(c.insert, c.err); got != c.want {
			t.Errorf("%s: %v is kept: %t", c.insert, c.err, got)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	said := func(number uint16) error { return fmt.Errorf("insert: %w", &mysql.MySQLError{Number: number}) }
	for want, errs := range map[sqlstore.Fault][]error{
		sqlstore.FaultTaken: {said(1062), said(1586)},
		sqlstore.FaultLost:  {said(1213), said(1205), said(1020), said(3101)},
		sqlstore.FaultAway: {
			said(1040), said(1045), said(1053), said(1114), said(1290), said(1317), said(1792), said(1836), said(1927), said(1969), said(3024), said(4031),
			driver.ErrBadConn, mysql.ErrInvalidConn, io.ErrUnexpectedEOF, &net.OpError{Op: "read", Err: errors.New("connection reset by peer")},
		},
		sqlstore.FaultOther: {said(1064), said(1406), said(3819), said(4025), said(1366), said(1452), said(0), errors.New("odd"), nil},
	} {
		for _, err := range errs {
			if got := fault(err); got != want {
				t.Errorf("%v is fault %d, want %d", err, got, want)
			}
		}
	}
	for err, want := range map[error]bool{said(1290): true, said(1792): true, said(1836): true, said(1142): false, said(1213): false, driver.ErrBadConn: false, nil: false} {
		if got := elsewhere(err); got != want {
			t.Errorf("%v: another database may take it: %t", err, got)
		}
	}
	for err, want := range map[error]bool{said(4031): true, said(1927): true, driver.ErrBadConn: true, said(1205): false, said(1290): false, errors.New("odd"): false} {
		if got := gone(err); got != want {
			t.Errorf("%v: the session was gone: %t", err, got)
		}
	}
}

func TestStorable(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "", "plain": "plain", "日本 😀": "日本 😀", "a\xff\xfeb": "a\uFFFDb", "\x00": "\x00",
	} {
		if got := storable(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}
