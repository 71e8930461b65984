package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/orthd/orth/internal/store/storetest"
)

var (
	past = flag.Int("past", 0, "how many runs are over already when BenchmarkPath begins")
	idle = flag.Int("idle", 0, "how many jobs there are besides that do not fire")
)

// BenchmarkPath takes 1,000 firings from due to done, as the rooms do it: each iteration
// plans, marks, accepts and completes them, in batches of 500. It reports runs a second
// and the processor time of the database for a run, by the step: 0 when it is on another
// machine.
func BenchmarkPath(b *testing.B) {
	const jobs = 1000
	address := database(b, "")
	s, err := Open(b.Context(), address, Config{Readers: 2})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	db := query(b, address)
	p := storetest.NewPath(b, s, func() time.Duration { return backends(b, db) }, jobs)
	if *past+*idle > 0 {
		if err := errors.Join(storetest.FillPast(b.Context(), db, *past), storetest.FillJobs(b.Context(), db, *idle)); err != nil {
			b.Fatal(err)
		}
		if _, err := db.ExecContext(b.Context(), "VACUUM ANALYZE"); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		p.Plan(b)
		p.Mark(b)
		p.Accept(b)
		p.Complete(b)
	}
	p.Report(b)
}

// backends returns the processor time that the sessions of the database have used so
// far, as /proc tells it, in hundredths of a second.
func backends(tb testing.TB, db *sql.DB) (spent time.Duration) {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var pid int
		if err := rows.Scan(&pid); err != nil {
			tb.Fatal(err)
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0
		}
		if fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]); len(fields) > 12 {
			user, _ := strconv.ParseInt(string(fields[11]), 10, 64)
			system, _ := strconv.ParseInt(string(fields[12]), 10, 64)
			spent += time.Duration(user+system) * 10 * time.Millisecond
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return spent
}
