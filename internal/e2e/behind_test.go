//go:build unix

package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	pgstore "github.com/orthd/orth/internal/store/postgres"
)

// TestStandbyBehind promotes a standby that lacks the last transactions, as a failover does that
// asks nobody: two servers that go on, and one that is started then, give no number of an
// attempt or a run that one of them has given before.
func TestStandbyBehind(t *testing.T) {
	t.Parallel()
	const name = "behind"
	one := newPostgres(t)
	one.do("postgres", "CREATE DATABASE "+name)
	two := one.standby()
	address := both(one, two, name)
	open := func() *pgstore.Store {
		s, err := pgstore.Open(t.Context(), address, pgstore.Config{Readers: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		lifecycletest.Start(t, s.Run)
		return s
	}
	given := map[string]bool{}
	draw := func(s *pgstore.Store, many int) {
		t.Helper()
		for what, next := range map[string]func(context.Context) (int64, error){"attempt": s.NextAttemptID, "run": s.NextRunID} {
			for range many {
				var id int64
				eventually(t, func() (err error) { id, err = next(t.Context()); return err })
				number := fmt.Sprint(what, " ", id)
				if given[number] {
					t.Fatalf("%s was given twice", number)
				}
				given[number] = true
			}
		}
	}
	first, second := open(), open()
	draw(second, 1)
	eventually(t, func() error {
		if n := one.one("postgres", "SELECT COUNT(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()"); n != 1 {
			return fmt.Errorf("%d standbys have all", n)
		}
		return nil
	})
	two.do("postgres", "ALTER SYSTEM SET primary_conninfo = ''")
	two.do("postgres", "SELECT pg_reload_conf()")
	eventually(t, func() error {
		if n := one.one("postgres", "SELECT COUNT(*) FROM pg_stat_replication"); n != 0 {
			return fmt.Errorf("%d standbys follow", n)
		}
		return nil
	})
	draw(first, 2500) // of which the standby never hears
	one.kill()
	two.promote()
	draw(second, 1500) // which does not know either what the first one has given
	draw(first, 1500)
	draw(open(), 3)
}
