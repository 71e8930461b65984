package postgres

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/store/storetest"
)

// sameUnderWay compares, at the end of a test, the table under_way of a database with its runs.
func sameUnderWay(tb testing.TB, address string) {
	tb.Helper()
	db := query(tb, address)
	runs := "SELECT id, " + kept + " FROM runs WHERE ended_at IS NULL"
	table := "SELECT id, " + kept + " FROM under_way"
	tb.Cleanup(func() {
		for _, one := range [][2]string{{runs, table}, {table, runs}} {
			var id int64
			err := db.QueryRow("SELECT COALESCE(MIN(d.id), 0) FROM (" + one[0] + " EXCEPT " + one[1] + ") d").Scan(&id)
			if err != nil || id > 0 {
				tb.Errorf("run %d of %q is not in %q, %v", id, one[0], one[1], err)
			}
		}
	})
}

// TestUnderWay writes statements as they are carried out.
func TestUnderWay(t *testing.T) {
	t.Parallel()
	const (
		answers = " RETURNING 1 AS number, runs.id, runs.job_id, runs.group_id, runs.priority, runs.ready_at, runs.expires_at, runs.open_on, runs.open_job, runs.attempt_id)"
		forgets = ", noted AS (DELETE FROM under_way w USING took WHERE w.id = took.id) SELECT number FROM took"
	)
	for text, want := range map[string]string{
		"SELECT id FROM runs WHERE group_id = ?\n\tAND ready_at > 0": "SELECT id FROM under_way WHERE group_id = $1 AND ready_at > 0",
		"SELECT id FROM runs WHERE due_at = ? AND ready_at > 0":      "SELECT id FROM runs_under_way WHERE due_at = $1 AND ready_at > 0",
		"SELECT id FROM runs WHERE id = ? AND ready_at IS NOT NULL":  "SELECT id FROM runs WHERE id = $1 AND ready_at IS NOT NULL",
		"SELECT r.cause FROM a b CROSS JOIN runs r ON r.c = b.c WHERE r.open_on > ''": "SELECT r.cause FROM a b JOIN runs_under_way r ON r.c = b.c" +
			" WHERE r.open_on > ''",
		"UPDATE runs SET check_at = 0 WHERE open_on > ''": "UPDATE runs SET check_at = 0 WHERE id IN (SELECT id FROM under_way WHERE open_on > '')",
		"UPDATE runs SET message = ?\n\tWHERE id = ?":     "UPDATE runs SET message = $1 WHERE id = $2",
		"UPDATE runs SET ended_at = ?, ready_at = NULL\n\tWHERE id = ?": "WITH took AS (UPDATE runs SET ended_at = $1, ready_at = NULL WHERE id = $2" +
			answers + forgets,
		"UPDATE runs SET ended_at = ? WHERE id = ? AND (SELECT o.id FROM runs o WHERE o.open_job > 0 LIMIT 1) IS NULL": "WITH took AS (UPDATE runs" +
			" SET ended_at = $1 WHERE id = $2 AND (SELECT o.id FROM under_way o WHERE o.open_job > 0 LIMIT 1) IS NULL" + answers + forgets,
		"DELETE FROM runs WHERE id = ?": "WITH took AS (DELETE FROM runs WHERE id = $1" + answers + forgets,
		"UPDATE runs SET ready_at = ? WHERE id = ?": "WITH took AS (UPDATE runs SET ready_at = $1 WHERE id = $2" + answers +
			", noted AS (UPDATE under_way w SET (job_id, group_id, priority, ready_at, expires_at, open_on, open_job, attempt_id) = ROW(took.job_id, took.group_id," +
			" took.priority, took.ready_at, took.expires_at, took.open_on, took.open_job, took.attempt_id) FROM took WHERE w.id = took.id) SELECT number FROM took",
		"INSERT INTO runs (id) VALUES (?)": "WITH took AS (INSERT INTO runs (id) VALUES ($1)" + answers +
			", noted AS (INSERT INTO under_way (id, job_id, group_id, priority, ready_at, expires_at, open_on, open_job, attempt_id) SELECT id, job_id, group_id, priority," +
			" ready_at, expires_at, open_on, open_job, attempt_id FROM took WHERE ready_at IS NOT NULL OR open_on IS NOT NULL) SELECT number FROM took",
	} {
		if got := rebind(text); got != want {
			t.Errorf("%s\n became %s\n want   %s", text, got, want)
		}
	}
}

// TestPlansUnderWay asks how statements are carried out that ask for runs under way, with many runs
// that are over: none may read all.
func TestPlansUnderWay(t *testing.T) {
	t.Parallel()
	db := query(t, migrated(t))
	db.SetMaxOpenConns(1) // what is prepared belongs to a session
	const insert = "INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, due_at, created_at, "
	dbtest.Must(t, db,
		insert+"ended_at) SELECT n, 1 + n % 2000, 1, 1 + n % 20, n, 'schedule', 0, 'succeeded', 1, n, n FROM generate_series(1, 20000) n",
		insert+"ready_at) SELECT n, 1 + n % 2000, 1, 1 + n % 20, n, 'schedule', 0, 'queued', 1, n, n FROM generate_series(20001, 20500) n",
		insert+"triggered_at, open_on, open_job) SELECT n, 1 + n % 2000, 1, 1 + n % 20, n, 'schedule', 0, 'running', 1, n, 1, 'http://a', 1 + n % 2000"+
			" FROM generate_series(20501, 21000) n",
		"INSERT INTO under_way (id, "+kept+") SELECT id, "+kept+" FROM runs WHERE ended_at IS NULL",
		"ANALYZE",
	)
	columns := linesOf(t, db, "SELECT column_name FROM information_schema.columns WHERE table_name = 'runs_under_way' ORDER BY ordinal_position")
	if got := strings.Join(columns, ", "); got != "id, "+kept+", "+looked {
		t.Errorf("the view has %s", got)
	}
	asked, all := 0, storetest.Statements(t)
	for _, settings := range []map[string]string{readerSettings(), writerSettings()} {
		for _, name := range slices.Sorted(maps.Keys(settings)) {
			if name != "default_transaction_read_only" {
				dbtest.Must(t, db, "SET "+name+" = '"+settings[name]+"'")
			}
		}
		dbtest.Must(t, db, "SET plan_cache_mode = force_generic_plan")
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !asksUnderWay.MatchString(oneLine(all[name])) {
				continue
			}
			asked++
			dbtest.Must(t, db, "PREPARE asked AS "+rebind(all[name]))
			call := "EXECUTE asked"
			if n := placeholders(all[name]); n > 0 {
				call += "(" + strings.TrimSuffix(strings.Repeat("NULL, ", n), ", ") + ")"
			}
			if plan := strings.Join(linesOf(t, db, "EXPLAIN "+call), "\n"); strings.Contains(plan, "Seq Scan on runs") {
				t.Errorf("%s reads all runs:\n%s", name, plan)
			}
			dbtest.Must(t, db, "DEALLOCATE asked")
		}
	}
	if asked < 70 {
		t.Errorf("only %d statements ask for what is under way", asked)
	}
}
