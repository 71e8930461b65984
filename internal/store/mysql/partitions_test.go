package mysql

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/orthd/orth/internal/blob/blobtest"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/store/storetest"
)

func TestLogBlobs(t *testing.T) { //nolint:tparallel // The suite is.
	t.Parallel()
	server(t)
	var databases shelf
	t.Run("suite", func(t *testing.T) { //nolint:paralleltest // It lasts until the last database is back.
		owner := t
		blobtest.Suite{Open: func(t *testing.T) logbook.Blobs {
			t.Helper()
			return running(t, databases.take(t, owner)).LogBlobs()
		}, Large: 3<<20 + 3}.Run(t)
	})
}

func TestLogPartitions(t *testing.T) {
	t.Parallel()
	server(t)
	storetest.LogPartitions(t, "SELECT COUNT(*) FROM log_blob_parts", func(t *testing.T) (store.Store, *sql.DB) {
		t.Helper()
		address := migrated(t)
		return running(t, address), query(t, address)
	})
}

// Users with the rights on the database, and those without.
func TestRightsToDivide(t *testing.T) {
	t.Parallel()
	address := migrated(t)
	db, config := query(t, address), configOf(t, address)
	user := config.DBName
	dbtest.Must(t, db, "CREATE USER "+user+" IDENTIFIED BY 'of_a_test'")
	t.Cleanup(func() { dbtest.Must(t, db, "DROP USER "+user) })
	config.User, config.Passwd = user, "of_a_test"
	for _, c := range []struct {
		change string
		want   bool
	}{
		{"GRANT SELECT, INSERT, UPDATE, DELETE ON " + config.DBName + ".* TO " + user, false},
		{"GRANT ALL ON " + config.DBName + ".* TO " + user, true},
		{"REVOKE DROP ON " + config.DBName + ".* FROM " + user, false},
		{"GRANT DROP ON " + config.DBName + ".log_blob_parts TO " + user, true},
	} {
		dbtest.Must(t, db, c.change)
		if got, err := divides(t.Context(), query(t, config.FormatDSN())); err != nil || got != c.want {
			t.Errorf("after %s: %v, %v", c.change, got, err)
		}
		// Where nothing is to be made a server starts with few rights.
		s, err := Open(t.Context(), config.FormatDSN(), Config{Readers: 1})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			t.Errorf("after %s: %v", c.change, err)
		}
	}
}

// Statements by ids look into their partition alone.
func TestPartitionsArePruned(t *testing.T) {
	t.Parallel()
	address := migrated(t)
	s, db := running(t, address), query(t, address)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for day := range 5 {
		if err := s.StartPartition(t.Context(), now.AddDate(0, 0, day).Unix()/3600); err != nil {
			t.Fatal(err)
		}
		// An empty partition need not be looked into.
		if err := s.LogBlobs().Put(t.Context(), fmt.Sprint(day), blobtest.Data(day, 200_000)); err != nil {
			t.Fatal(err)
		}
	}
	all, _, err := s.LogPartitions(t.Context())
	if err != nil || len(all) != 6 {
		t.Fatalf("%d partitions, %v", len(all), err)
	}
	p := all[3]
	for _, statement := range []string{
		"SELECT id, data FROM log_blob_parts WHERE id >= %d AND id <= %d ORDER BY id", "DELETE FROM log_blob_parts WHERE id >= %d AND id < %d",
	} {
		rows, err := db.QueryContext(t.Context(), "EXPLAIN PARTITIONS "+fmt.Sprintf(statement, p.Start(), p.Start()+2))
		if err != nil { // MySQL tells partitions without being asked
			rows, err = db.QueryContext(t.Context(), "EXPLAIN "+fmt.Sprintf(statement, p.Start(), p.Start()+2))
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := partitionsOf(t, rows); got != p.Name {
			t.Errorf("%s looks into %q, want %s", statement, got, p.Name)
		}
	}
}

// partitionsOf returns what a plan of one row says of partitions.
func partitionsOf(t *testing.T, rows *sql.Rows) (found string) {
	t.Helper()
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, dest := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		for i, column := range columns {
			if column == "partitions" {
				found += values[i].String
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}
