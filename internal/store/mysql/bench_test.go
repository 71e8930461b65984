package mysql

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/store/storetest"
)

// BenchmarkPath takes 1,000 firings from due to done, as the rooms do it, and reports runs
// a second and the processor time of the database for a run, by the step: 0 when it is on
// another machine, or is no MariaDB.
func BenchmarkPath(b *testing.B) {
	address := migrated(b)
	s := running(b, address)
	db := query(b, address)
	seen, spent := map[int]time.Duration{}, time.Duration(0)
	p := storetest.NewPath(b, s, func() time.Duration {
		for thread, used := range threads(b, db) {
			if before, known := seen[thread]; known { // it may have served others
				spent += used - before
			}
			seen[thread] = used
		}
		return spent
	}, 1000)
	for b.Loop() {
		p.Fire(b)
		p.Complete(b)
		p.Remove(b)
	}
	p.Report(b)
}

// threads returns the processor time that the threads of the sessions of the database have
// used so far, as /proc tells it.
func threads(tb testing.TB, db *sql.DB) map[int]time.Duration {
	tb.Helper()
	spent := map[int]time.Duration{}
	rows, err := db.QueryContext(tb.Context(), "SELECT tid FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()")
	if err != nil {
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var tid int
		if err := rows.Scan(&tid); err != nil {
			tb.Fatal(err)
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", tid))
		if err != nil {
			return nil
		}
		used, _, _ := strings.Cut(string(text), " ")
		if n, err := strconv.ParseInt(used, 10, 64); err == nil {
			spent[tid] = time.Duration(n)
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return spent
}
