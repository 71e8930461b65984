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

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/store/storetest"
)

var (
	past      = flag.Int("past", 0, "how many runs are over already when BenchmarkPath begins")
	stretches = flag.Int("stretches", 0, "into how many partitions the logs of attempts are divided")
	idle      = flag.Int("idle", 0, "how many jobs there are besides that do not fire")
	waiting   = flag.Bool("waiting", false, "whether runs wait as rows, and are claimed, before they are sent")
	firing    = flag.Int("firing", storetest.PathBatch, "how many firings BenchmarkPath takes at a time")
)

// BenchmarkPath takes 1,000 firings from due to done, as the rooms do it: each iteration
// fires and completes them, in batches of -firing. It reports runs a second,
// the processor time of the database for a run, by the step (0 when it is on another machine),
// that of this process, what the table takes of the disk, and how often the writer waits for the database in 1,000 runs.
func BenchmarkPath(b *testing.B) {
	const jobs = 1000
	p, db := newPath(b, jobs)
	if *past+*idle > 0 {
		if err := errors.Join(storetest.FillPast(b.Context(), db, *past), storetest.FillJobs(b.Context(), db, *idle)); err != nil {
			b.Fatal(err)
		}
		if err := divide(b.Context(), db, *past, *stretches); err != nil {
			b.Fatal(err)
		}
	}
	p.Batch = *firing
	pipes := p.Store.(*Store).pipes
	own, trips := storetest.ProcessorTime(), pipes.trips.Load()
	for b.Loop() {
		if *waiting {
			p.Plan(b)
			p.Claim(b)
			p.Mark(b)
		} else {
			p.Fire(b)
		}
		p.Complete(b)
	}
	p.Report(b)
	runs := float64(b.N * jobs)
	b.ReportMetric(float64((storetest.ProcessorTime()-own).Nanoseconds())/1000/runs, "own-us/run")
	var size float64
	if err := db.QueryRowContext(b.Context(), "SELECT pg_total_relation_size('runs')").Scan(&size); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(size/(runs+float64(*past)), "bytes/run")
	b.ReportMetric(float64(pipes.trips.Load()-trips)*1000/runs, "trips/1000")
}

// BenchmarkAlone takes one firing after the other from due to done, each step in a
// transaction of its own, as a server does that has little to do.
func BenchmarkAlone(b *testing.B) {
	p, _ := newPath(b, 1)
	for b.Loop() {
		p.Fire(b)
		p.Complete(b)
	}
	p.Report(b)
}

// newPath makes as many jobs in a new database, and returns it too.
func newPath(b *testing.B, jobs int) (*storetest.Path, *sql.DB) {
	b.Helper()
	address := database(b, "")
	s, err := Open(b.Context(), address, Config{Readers: 2})
	if err != nil {
		b.Fatal(err)
	}
	serve(b, s)
	db := query(b, address)
	return storetest.NewPath(b, s, func() time.Duration { return backends(b, db) }, jobs), db
}

// serve lets a store write until the end of a test.
func serve(tb testing.TB, s *Store) {
	tb.Helper()
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	lifecycletest.Start(tb, s.Run)
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

// divide makes partitioned tables of what belongs to the logs of attempts, with as
// many partitions, by ranges of the attempt's id. The last one is empty: all that comes
// after the runs of the past is for that.
func divide(ctx context.Context, db *sql.DB, past, stretches int) error {
	vacuum := func() error { _, err := db.ExecContext(ctx, "VACUUM ANALYZE"); return err }
	if stretches == 0 {
		return vacuum()
	}
	for table, key := range map[string]string{"run_logs": "attempt_id", "log_chunks": "attempt_id"} {
		statements := []string{
			fmt.Sprintf("ALTER TABLE %[1]s RENAME TO %[1]s_old", table),
			fmt.Sprintf("CREATE TABLE %[1]s (LIKE %[1]s_old INCLUDING ALL) PARTITION BY RANGE (%[2]s)", table, key),
		}
		for i := range stretches - 1 {
			from, to := "MINVALUE", strconv.Itoa(past*(i+1)/(stretches-1)+1)
			if i > 0 {
				from = strconv.Itoa(past*i/(stretches-1) + 1)
			}
			statements = append(statements, fmt.Sprintf("CREATE TABLE %[1]s_%[2]d PARTITION OF %[1]s FOR VALUES FROM (%[3]s) TO (%[4]s)", table, i, from, to))
		}
		statements = append(statements, fmt.Sprintf("INSERT INTO %[1]s TABLE %[1]s_old", table), fmt.Sprintf("DROP TABLE %s_old", table))
		for _, statement := range statements {
			if _, err := db.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
	}
	if err := vacuum(); err != nil {
		return err
	}
	for _, table := range []string{"run_logs", "log_chunks"} {
		// The newest one was not looked at while it was empty.
		if _, err := db.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %[1]s_newest PARTITION OF %[1]s FOR VALUES FROM (%[2]d) TO (MAXVALUE)", table, past+1)); err != nil {
			return err
		}
	}
	return nil
}
