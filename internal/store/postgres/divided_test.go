package postgres

import (
	"testing"
	"time"

	"github.com/orthd/orth/internal/store/storetest"
)

// TestRemovalFromDividedTables: rows of different partitions have the same places. A
// removal takes its own rows, and no others.
func TestRemovalFromDividedTables(t *testing.T) {
	t.Parallel()
	const runs, gone = 3000, 20
	address := database(t, "")
	s, err := Open(t.Context(), address, Config{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, s)
	storetest.NewPath(t, s, func() time.Duration { return 0 }, 1)
	db := query(t, address)
	if err := storetest.FillPast(t.Context(), db, runs); err != nil {
		t.Fatal(err)
	}
	// Each run has a log, and each log a chunk.
	for _, insert := range []string{
		"INSERT INTO run_logs (attempt_id, run_id, job_id, group_id, address, triggered_at, ended_at, state)" +
			" SELECT id AS attempt_id, id AS run_id, job_id, group_id, address, triggered_at, ended_at, 'whole' FROM runs",
		"INSERT INTO log_chunks (attempt_id, first_line, lines, first_at, last_at, raw, pack_id, pos, size)" +
			" SELECT id, 1, 1, 1, 1, 1, 1, 1, 1 FROM runs",
	} {
		if _, err := db.ExecContext(t.Context(), insert); err != nil {
			t.Fatal(err)
		}
	}
	if err := divide(t.Context(), db, runs, 4); err != nil {
		t.Fatal(err)
	}
	ids := make([]int64, gone)
	for i := range ids {
		ids[i] = int64(i + 1)
	}
	if n, err := s.RemoveRuns(t.Context(), ids); n != gone || err != nil {
		t.Fatalf("%d runs were removed: %v", n, err)
	}
	for table, key := range map[string]string{"runs": "id", "run_logs": "attempt_id", "log_chunks": "attempt_id"} {
		var left, first, parts int
		row := db.QueryRowContext(t.Context(), "SELECT COUNT(*), MIN("+key+"), COUNT(DISTINCT tableoid) FROM "+table)
		if err := row.Scan(&left, &first, &parts); err != nil {
			t.Fatal(err)
		}
		if left != runs-gone || first != gone+1 || table != "runs" && parts != 3 {
			t.Errorf("%s: %d rows are left from %d on in %d parts, want %d", table, left, first, parts, runs-gone)
		}
	}
}
