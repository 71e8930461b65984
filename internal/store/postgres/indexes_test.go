package postgres

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/store/storetest"
)

// TestRunsStayOnTheirPages sends runs at once and after they have waited, ends them, and counts
// the updates that have stayed on their pages and entered no index.
func TestRunsStayOnTheirPages(t *testing.T) {
	t.Parallel()
	address := migrated(t)
	s, err := Open(t.Context(), address, Config{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	lifecycletest.Start(t, s.Run)
	p := storetest.NewPath(t, s, func() time.Duration { return 0 }, storetest.PathBatch)
	for range 4 {
		p.Fire(t)
		p.Accept(t)
		p.Complete(t)
		p.Plan(t)
		p.Claim(t)
		p.Mark(t)
		p.Complete(t)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db := query(t, address)
	const updates = 5 * 4 * storetest.PathBatch
	var all, stayed int64
	for all < updates { // a session passes on what it has counted when it ends
		if err := db.QueryRowContext(t.Context(), "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'runs'").Scan(&all, &stayed); err != nil {
			t.Fatal(err)
		}
	}
	if all != updates || stayed < updates*3/4 {
		t.Errorf("of %d updates %d have stayed on their pages", all, stayed)
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
