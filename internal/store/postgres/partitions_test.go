package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/blob/blobtest"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/store/storetest"
)

// dividedStore opens a store on a new database, which runs until the test is over.
func dividedStore(t *testing.T, empty string) (*Store, *sql.DB) {
	t.Helper()
	address := database(t, empty)
	s, err := Open(t.Context(), address, Config{Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, s)
	return s, query(t, address)
}

func TestLogBlobs(t *testing.T) { //nolint:tparallel // The suite is.
	t.Parallel()
	empty := template(t)
	t.Run("suite", func(t *testing.T) { //nolint:paralleltest // It lasts until the last copy of the template is made.
		blobtest.Suite{Open: func(t *testing.T) logbook.Blobs {
			t.Helper()
			s, _ := dividedStore(t, empty)
			return s.LogBlobs()
		}, Large: 3<<20 + 3}.Run(t)
	})
}

func TestLogPartitions(t *testing.T) { //nolint:tparallel // The suite is.
	t.Parallel()
	empty := template(t)
	t.Run("partitions", func(t *testing.T) { //nolint:paralleltest // As above.
		storetest.LogPartitions(t, "LOCK TABLE log_blob_parts IN ACCESS SHARE MODE", func(t *testing.T) (store.Store, *sql.DB) {
			t.Helper()
			return dividedStore(t, empty)
		})
	})
}

// A role that may not change tables removes packs row by row.
func TestPartitionsWithoutRights(t *testing.T) {
	t.Parallel()
	address := database(t, template(t))
	db := query(t, address)
	role := nameIn(t, address)
	dbtest.Must(t, db, "CREATE ROLE "+role, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO "+role)
	t.Cleanup(func() { dbtest.Must(t, db, "DROP OWNED BY "+role, "DROP ROLE "+role) })
	s, err := Open(t.Context(), address+"&options=-c%20role%3D"+role, Config{Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, s)
	if all, _, err := s.LogPartitions(t.Context()); len(all) != 0 || err != nil {
		t.Errorf("%d partitions, %v", len(all), err)
	}
	if err := s.LogBlobs().Put(t.Context(), "a", blobtest.Data(1, 200_000)); err != nil {
		t.Fatal(err)
	}
	if err := s.LogBlobs().Delete(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM log_blob_parts").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d parts are left, %v", left, err)
	}
}

// tableScans finds the tables that a plan looks into.
var tableScans = regexp.MustCompile(`->  (?:Bitmap Heap|Index|Index Only|Seq) Scan(?: using \w+)? on (\w+)`)

// Statements by ids look into their partition alone, also when they were prepared for any.
func TestPartitionsArePruned(t *testing.T) {
	t.Parallel()
	s, db := dividedStore(t, "")
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for day := range 5 {
		if err := s.StartPartition(t.Context(), now.AddDate(0, 0, day).Unix()/3600); err != nil {
			t.Fatal(err)
		}
	}
	all, _, err := s.LogPartitions(t.Context())
	if err != nil || len(all) != 6 {
		t.Fatalf("%d partitions, %v", len(all), err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	p := all[3]
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		for name, statement := range map[string]string{
			"read":   "SELECT id, data FROM log_blob_parts WHERE id >= $1 AND id <= $2 ORDER BY id",
			"delete": "DELETE FROM log_blob_parts WHERE id >= $1 AND id < $2",
		} {
			name += "_" + mode
			for _, one := range []string{"SET plan_cache_mode = " + mode, fmt.Sprintf("PREPARE %s (bigint, bigint) AS %s", name, statement)} {
				if _, err := conn.ExecContext(t.Context(), one); err != nil {
					t.Fatal(err)
				}
			}
			plan := planFor(t, conn, fmt.Sprintf("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE %s (%d, %d)", name, p.Start(), p.Start()+5))
			if scanned := tableScans.FindAllStringSubmatch(plan, -1); len(scanned) != 1 || scanned[0][1] != p.Name {
				t.Errorf("%s does not look into %s alone:\n%s", name, p.Name, plan)
			}
		}
	}
}

// planFor returns the plan of a statement.
func planFor(t *testing.T, conn *sql.Conn, statement string) string {
	t.Helper()
	rows, err := conn.QueryContext(context.WithoutCancel(t.Context()), statement)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
