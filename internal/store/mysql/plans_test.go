package mysql

import (
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/store/storetest"
)

// history is how many rows the tables have that grow with what runs, and most how many of
// them the database may think that it reads for a part of a statement.
const (
	history = 1 << 16
	most    = history / 4
)

// TestPlans asks the database how it carries out each statement of sqlstore when there is
// some history. None may go through all of it.
func TestPlans(t *testing.T) {
	t.Parallel()
	db := query(t, migrated(t))
	fill(t, db)
	const ends = "it goes by the key's order and ends at its LIMIT"
	excused := map[string]string{
		"badEnds": "it is a part of listFailing", "listRecent": "listRecentOf is asked instead",
		"listOldLogs": ends, "listOldRunLogs": ends, "readFirstLine": ends, "readHead": ends, "readLineFrom": ends,
	}
	all := storetest.Statements(t)
	if len(all) < 300 {
		t.Fatalf("only %d statements were found", len(all))
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if excused[name] != "" {
			continue
		}
		for _, line := range explained(t, db, name, rebind(all[name])) {
			if line.rows > most {
				t.Errorf("%s: %d rows of %s by %s %s: %s", name, line.rows, line.table, line.way, line.key, rebind(all[name]))
			}
		}
	}
}

// fill makes rows in the tables that grow.
func fill(t *testing.T, db *sql.DB) {
	t.Helper()
	dbtest.Must(t, db, "CREATE TABLE numbers (n BIGINT PRIMARY KEY)", "INSERT INTO numbers (n) VALUES (1)")
	for size := 1; size < history; size *= 2 {
		dbtest.Must(t, db, "INSERT INTO numbers (n) SELECT n + "+strconv.Itoa(size)+" FROM numbers")
	}
	dbtest.Must(t, db,
		`INSERT INTO executor_groups (id, namespace, group_key, title, created_at) SELECT n, 'default', CONCAT('g', n), '', 1 FROM numbers WHERE n <= 20`,
		`INSERT INTO jobs (id, tombstone, version, group_id, timeout_ms, created_at, updated_at, namespace, job_key, title, misfire, route, overlap, on_crash,
			schedule, retry, children, param, handler)
			SELECT n, 0, 1, 1 + n % 20, 0, 1, 1, 'default', CONCAT('j', n), '', '', '', '', '', '', '', '', '', '' FROM numbers WHERE n <= 2000`,
		`INSERT INTO job_plans (job_id, enabled, next_at, look_at) SELECT n, 1, n, +n FROM numbers WHERE n <= 2000`,
		`INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, due_at, created_at, ended_at, attempt_id, tries, expires_at,
			address, triggered_at)
			SELECT n, 1 + n % 2000, 1, 1 + n % 20, n, 'schedule', 0, 'succeeded', n, +n, n + 1, n, 1, n + 100, 'http://a', n FROM numbers`,
		`INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, ready_at, due_at, created_at, expires_at)
			SELECT 1000000 + n, 1 + n % 2000, 1, 1 + n % 20, 1000000 + n, 'schedule', 0, 'queued', n, +n, n, +n + 100 FROM numbers WHERE n <= 100`,
		`INSERT INTO attempts (id, run_id, job_id, number, address, state, triggered_at, ended_at, message)
			SELECT 2000000 + n, +n, 1 + n % 2000, 1, 'http://a', 'failed', n, +n + 1, '' FROM numbers`,
		`INSERT INTO evidence (attempt_id, number, came_at, state, message, note) SELECT n, 0, n, 'failed', '', '' FROM numbers`,
		`INSERT INTO run_logs (attempt_id, run_id, job_id, group_id, address, triggered_at, ended_at, state)
			SELECT n, +n, 1 + n % 2000, 1 + n % 20, 'http://a', n, +n + 1, 'whole' FROM numbers`,
		`INSERT INTO log_chunks (attempt_id, first_line, `+"`lines`"+`, first_at, last_at, raw, pack_id, pos, size) SELECT n, 0, 1, n, +n, 1, 1 + n % 100, n, 1 FROM numbers`,
		`INSERT INTO dead_letters (run_id, job_id, group_id, namespace, state, status, ended_at, closed_at, closed_reason, message)
			SELECT n, 1 + n % 2000, 1 + n % 20, 'default', 'failed', 'closed', n, +n, '', '' FROM numbers`,
		`INSERT INTO audit (seq, at, actor_id, credential, actor_kind, actor, address, operation, right_used, kind, namespace, group_key, object_key,
			was, became, previous, digest) SELECT n, +n, 1, 1, 'user', CONCAT('u', n % 100), '', 'save', '', 'job', CONCAT('n', n % 10), '', CONCAT('j', n), '', '', '', '' FROM numbers`,
		`ANALYZE TABLE executor_groups, jobs, job_plans, runs, attempts, evidence, run_logs, log_chunks, dead_letters, audit`,
	)
}

// way is how the database reads a table for a statement.
type way struct {
	table, way, key string
	rows            int64
}

// explained asks for the plan of a statement, in the database's words, about some object.
func explained(t *testing.T, db *sql.DB, name, text string) (ways []way) {
	t.Helper()
	parts := strings.Split(text, "?")
	for i := range parts[:len(parts)-1] {
		if strings.HasSuffix(parts[i], "LIMIT ") || strings.HasSuffix(parts[i], "OFFSET ") {
			parts[i] += "50"
		} else {
			parts[i] += "'7'" // a number or a text, as the column wants it
		}
	}
	rows, err := db.QueryContext(t.Context(), "EXPLAIN "+strings.Join(parts, ""))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, dest := map[string]*sql.NullString{}, make([]any, len(columns))
		for i, column := range columns {
			values[column] = new(sql.NullString)
			dest[i] = values[column]
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		w := way{table: values["table"].String, way: values["type"].String, key: values["key"].String}
		if n, _, _ := strings.Cut(values["rows"].String, " "); n != "" { // behind it a filter may say its share
			if w.rows, err = strconv.ParseInt(n, 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		ways = append(ways, w)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return ways
}
