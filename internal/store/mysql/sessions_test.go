package mysql

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/job"
)

// running opens a store and runs its loop until the test is over.
func running(tb testing.TB, address string) *Store {
	tb.Helper()
	s, err := Open(tb.Context(), address, Config{Readers: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	lifecycletest.Start(tb, s.Run)
	return s
}

// write writes something, the same each time.
func write(t *testing.T, s *Store) error {
	t.Helper()
	_, err := s.AddAddress(t.Context(), "demo", "http://10.0.0.1:9999", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	return err
}

// TestEndedSessions ends the session that writes while nothing is to be written: the next
// write finds another one.
func TestEndedSessions(t *testing.T) {
	t.Parallel()
	address := migrated(t)
	s, db := running(t, address), query(t, address)
	for range 3 {
		if err := write(t, s); err != nil {
			t.Fatal(err)
		}
		for _, id := range linesOf(t, db, "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()") {
			if _, err := db.ExecContext(t.Context(), "KILL "+id); err != nil && !strings.Contains(err.Error(), "Error 1094") { // the session has ended already
				t.Fatal(err)
			}
		}
	}
	if err := write(t, s); err != nil {
		t.Error(err)
	}
}

// TestStoppedServer has the turn to write taken by a server that is stopped in the middle
// of its transaction: the database ends its session, and others go on.
func TestStoppedServer(t *testing.T) {
	t.Parallel()
	address := migrated(t)
	s, db := running(t, address), query(t, address)
	found, err := look(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	base, err := parse(address)
	if err != nil {
		t.Fatal(err)
	}
	stopped, err := pool(base, &Config{}, 1, unheardFor, found.forWriter())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stopped.Close() }()
	conn, err := stopped.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(t.Context(), takeTurn); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := write(t, s); err != nil {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
	if _, err := conn.ExecContext(t.Context(), "COMMIT"); err == nil {
		t.Error("the stopped server has its session still")
	}
}

// TestReaders has no session of the pool that reads write anything.
func TestReaders(t *testing.T) {
	t.Parallel()
	s := running(t, migrated(t))
	_, err := s.size.ExecContext(t.Context(), "DELETE FROM runs")
	if err == nil || !job.Is(refused(err), job.Unavailable) {
		t.Errorf("a reader deletes: %v", err)
	}
	if n, err := s.Size(t.Context()); err != nil || n <= 0 {
		t.Errorf("the database has %d bytes (%v)", n, err)
	}
	if s.Kind() != "mariadb" && s.Kind() != "mysql" {
		t.Errorf("it is %s", s.Kind())
	}
}

// refused returns an error as the store would.
func refused(err error) error { return explain("test", err) }

// What the database says of sessions is overruled in each of them: how many rows a query
// returns at most, what may be changed without a key, and when a statement commits.
func TestOverruled(t *testing.T) {
	t.Parallel()
	address := migrated(t)
	found, err := look(t.Context(), query(t, address))
	if err != nil {
		t.Fatal(err)
	}
	for kind, first := range map[string][]string{"reader": found.forReader(), "builder": found.forBuilder(), "who looks": forLook()} {
		first = append([]string{"SET SESSION sql_select_limit = 3, sql_safe_updates = 1, autocommit = 0, time_zone = '+05:45'"}, first...)
		db, err := pool(configOf(t, address), &Config{}, 1, openFor, first)
		if err != nil {
			t.Fatal(err)
		}
		got := linesOf(t, db, "SELECT CONCAT(@@session.time_zone, ' ', @@session.autocommit = 1, @@session.sql_safe_updates = 1, ' ', @@session.sql_select_limit)")
		if err := db.Close(); err != nil || !slices.Equal(got, []string{"+00:00 10 18446744073709551615"}) {
			t.Errorf("%s: %q, %v", kind, got, err)
		}
	}
}

// TestSettings asks sessions how they are set.
func TestSettings(t *testing.T) {
	t.Parallel()
	s := running(t, migrated(t))
	var zone, modes, isolation string
	row := s.size.QueryRowContext(t.Context(), "SELECT @@session.time_zone, @@session.sql_mode, (SELECT 1 WHERE 'a' = 'a ')")
	var padded sql.NullInt64
	if err := row.Scan(&zone, &modes, &padded); err != nil {
		t.Fatal(err)
	}
	if zone != "+00:00" || padded.Valid {
		t.Errorf("zone %s, modes %s, spaces at the end count: %t", zone, modes, !padded.Valid)
	}
	name := "tx_isolation"
	if s.Kind() == "mysql" {
		name = "transaction_isolation"
	}
	if err := s.size.QueryRowContext(t.Context(), "SELECT @@session."+name).Scan(&isolation); err != nil || isolation != "READ-COMMITTED" {
		t.Errorf("isolation %s (%v)", isolation, err)
	}
}
