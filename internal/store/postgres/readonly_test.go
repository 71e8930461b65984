package postgres

import (
	"testing"

	"github.com/orthd/orth/job"
)

// Of an attempt that is not there nothing is said while the database takes no writes: it may
// have been left behind, and whoever hears that nobody knows the attempt throws its outcome
// away.
func TestUnknownAttempts(t *testing.T) {
	t.Parallel()
	address := database(t, template(t))
	s, err := Open(t.Context(), address, Config{Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, s)
	unknown := []int64{1, 2, 777_777}
	if found, err := s.Snapshots(t.Context(), unknown); err != nil || len(found) > 0 {
		t.Fatalf("%v, %v", found, err)
	}
	db := query(t, address)
	name := nameIn(t, address)
	for _, one := range []string{
		"ALTER DATABASE " + name + " SET default_transaction_read_only = on",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "' AND pid <> pg_backend_pid()",
	} {
		if _, err := db.ExecContext(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if found, err := s.Snapshots(t.Context(), unknown); !job.Is(err, job.Unavailable) {
			t.Errorf("while it is read-only: %v, %v", found, err)
		}
	}
	if _, err := db.ExecContext(t.Context(), "SET default_transaction_read_only = off; ALTER DATABASE "+name+" RESET default_transaction_read_only"); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Snapshots(t.Context(), unknown); err != nil || len(found) > 0 {
		t.Errorf("when it takes writes again: %v, %v", found, err)
	}
}
