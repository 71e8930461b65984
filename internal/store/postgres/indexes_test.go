package postgres

import (
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/store/dbtest"
)

// TestRunsStayOnTheirPages looks at what the indexes of runs are over, their conditions too:
// an update that changes any of it is written into all of them. Those on the way of a run are
// that it waits no more, and what its attempt is while it is open; until when its log is kept is
// known with its end.
func TestRunsStayOnTheirPages(t *testing.T) {
	t.Parallel()
	db := query(t, migrated(t))
	got := linesOf(t, db, `SELECT DISTINCT a.attname FROM pg_index x
		JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = x.indexrelid AND d.refobjid = x.indrelid
		JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = d.refobjsubid
		WHERE x.indrelid = 'runs'::regclass AND a.attname <> 'id' ORDER BY 1`)
	want := []string{
		"asked_by", "attempt_id", "bad_state", "cause", "cause_id", "expires_at", "firing", "group_id", "job_id", "log_expires", "open_job",
		"open_on", "planned_at", "priority", "ready_at", "shard_index", "tries",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the indexes of runs are over %q, want %q", got, want)
	}
	if room := linesOf(t, db, "SELECT array_to_string(reloptions, ' ') FROM pg_class WHERE oid = 'runs'::regclass"); !slices.Equal(room, []string{"fillfactor=60"}) {
		t.Errorf("the pages of runs are made with %q", room)
	}
}

// TestBadEndsAreFound ends runs in all ways, and finds those that did not succeed by their
// index, in the words in which statements ask for them.
func TestBadEndsAreFound(t *testing.T) {
	t.Parallel()
	db := query(t, migrated(t))
	db.SetMaxOpenConns(1) // what is prepared belongs to a session
	dbtest.Must(t, db,
		`INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, due_at, created_at, ended_at, triggered_at, open_on)
		SELECT n, 1, 1, 1, n, 'schedule', 0, CASE n % 100 WHEN 0 THEN 'running' WHEN 1 THEN 'failed' ELSE 'succeeded' END, 1, n,
		CASE n % 100 WHEN 0 THEN NULL ELSE n END, 1, CASE n % 100 WHEN 0 THEN 'http://a' END FROM generate_series(1, 9000) n`,
		"UPDATE runs SET state = 'lost', ended_at = 5, open_on = NULL WHERE id = 300",
		"UPDATE runs SET state = 'succeeded', ended_at = 5, open_on = NULL WHERE id = 600",
		"ANALYZE runs",
		"SET plan_cache_mode = force_generic_plan",
		"PREPARE asked AS "+rebind("SELECT id FROM runs WHERE state = ? AND state <> 'succeeded' AND ended_at > 0 AND id < ? ORDER BY id DESC LIMIT 3"),
	)
	for state, want := range map[string][]string{"failed": {"8901", "8801", "8701"}, "lost": {"300"}, "succeeded": nil, "running": nil} {
		if got := linesOf(t, db, "EXECUTE asked ('"+state+"', 9001)"); !slices.Equal(got, want) {
			t.Errorf("%s: runs %q, want %q", state, got, want)
		}
	}
	if plan := strings.Join(linesOf(t, db, "EXPLAIN EXECUTE asked ('failed', 9001)"), "\n"); !strings.Contains(plan, "runs_bad") {
		t.Errorf("they are not found by their index:\n%s", plan)
	}
}
