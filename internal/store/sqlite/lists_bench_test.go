package sqlite

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

var (
	listed = flag.Int("listed", 1_000_000, "how many runs BenchmarkLists lists some of")
	kept   = flag.String("kept", "", "a folder that keeps the database of BenchmarkLists, for a server or to list it again (default none)")
)

// BenchmarkLists reads a page of 50 runs out of -listed, a million by default, for
// each filter alone and for somebody who sees three groups, and in each order; and the
// tables of jobs. They are runs of 5,000 jobs in 20 groups; one in a thousand has
// failed, one in a hundred thousand is lost, one in ten thousand was made by hand, and
// a few wait; the newest million have attempts. Some filters have no run at all: they
// cost the most.
func BenchmarkLists(b *testing.B) {
	s, jobs := longHistory(b, *listed)
	all := access.Sight{All: true}
	first := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	middle := queries.Span{Since: first.Add(time.Duration(*listed/2) * time.Second), Until: first.Add(time.Duration(*listed/2+200) * time.Second)}
	for _, c := range []struct {
		name string
		q    queries.RunQuery
	}{
		{"newest", queries.RunQuery{Sight: all}},
		{"deep", queries.RunQuery{Sight: all, BeforeID: int64(*listed / 2)}},
		{"job", queries.RunQuery{Sight: all, JobID: jobs[7].ID}},
		{"group", queries.RunQuery{Sight: all, Group: "g7"}},
		{"namespace", queries.RunQuery{Sight: all, Namespace: "team"}},
		{"failed", queries.RunQuery{Sight: all, States: []job.State{job.Failed}}},
		{"lost", queries.RunQuery{Sight: all, States: []job.State{job.Lost}}},
		{"timed-out", queries.RunQuery{Sight: all, States: []job.State{job.TimedOut}}},
		{"succeeded", queries.RunQuery{Sight: all, States: []job.State{job.Succeeded}}},
		{"planned", queries.RunQuery{Sight: all, States: []job.State{job.Planned}}},
		{"running", queries.RunQuery{Sight: all, States: []job.State{job.Running}}},
		{"manual", queries.RunQuery{Sight: all, Cause: job.CauseManual}},
		{"created", queries.RunQuery{Sight: all, Created: middle}},
		{"planned-at", queries.RunQuery{Sight: all, Planned: middle}},
		{"ended", queries.RunQuery{Sight: all, Ended: middle}},
		{"three-groups", queries.RunQuery{Sight: access.Sight{Places: []access.Place{
			{Namespace: "default", Group: "g1"}, {Namespace: "default", Group: "g2"}, {Namespace: "default", Group: "g3"},
		}}}},
		{"three-groups-lost", queries.RunQuery{States: []job.State{job.Lost}, Sight: access.Sight{Places: []access.Place{
			{Namespace: "default", Group: "g1"}, {Namespace: "default", Group: "g2"}, {Namespace: "default", Group: "g3"},
		}}}},
		{"nothing", queries.RunQuery{}},
		{"executor", queries.RunQuery{Sight: all, Executor: "http://10.0.0.3:9999"}},
		{"executor-none", queries.RunQuery{Sight: all, Executor: "http://none"}},
		{"label", queries.RunQuery{Sight: all, Label: "tier=7"}},
		{"label-none", queries.RunQuery{Sight: all, Label: "tier=none"}},
		{"by", queries.RunQuery{Sight: all, By: "user-1"}},
		{"by-none", queries.RunQuery{Sight: all, By: "user-2"}},
		{"text", queries.RunQuery{Sight: all, Text: "Code 7"}},
		{"text-none", queries.RunQuery{Sight: all, Text: "none of them"}},
		{"late", queries.RunQuery{Sight: all, Late: 5 * time.Second, Now: first}},
		{"late-none", queries.RunQuery{Sight: all, Late: time.Hour, Now: first}},
		{"duration", queries.RunQuery{Sight: all, MinTook: 55 * time.Second, Now: first}},
		{"duration-none", queries.RunQuery{Sight: all, MinTook: time.Hour, Now: first}},
		{"tries-none", queries.RunQuery{Sight: all, MinTries: 2}},
	} {
		c.q.Limit = 50
		timed(b, c.name, func() (int, error) {
			found, _, err := s.RunPage(b.Context(), c.q)
			return len(found), err
		})
	}
	benchRanks(b, s, jobs)
	benchTables(b, s)
}

// benchRanks reads the first page of runs in each order.
func benchRanks(b *testing.B, s *Store, jobs []job.Job) {
	b.Helper()
	all := access.Sight{All: true}
	for _, c := range []struct {
		name string
		q    queries.RunQuery
	}{
		{"planned", queries.RunQuery{Sight: all, Order: jobrows.Order{By: jobrows.ByPlanned, Down: true}}},
		{"ended", queries.RunQuery{Sight: all, Order: jobrows.Order{By: jobrows.ByEnded, Down: true}}},
		{"duration", queries.RunQuery{Sight: all, Order: jobrows.Order{By: jobrows.ByDuration, Down: true}}},
		{"duration-of-a-group", queries.RunQuery{Sight: all, Group: "g7", Order: jobrows.Order{By: jobrows.ByDuration, Down: true}}},
		{"duration-of-a-job", queries.RunQuery{Sight: all, JobID: jobs[7].ID, Order: jobrows.Order{By: jobrows.ByDuration, Down: true}}},
		{"duration-of-failed", queries.RunQuery{Sight: all, States: []job.State{job.Failed}, Order: jobrows.Order{By: jobrows.ByDuration}}},
	} {
		c.q.Limit = 50
		timed(b, "ranked-"+c.name, func() (int, error) {
			found, err := s.RunRanks(b.Context(), c.q)
			return len(found.Runs), err
		})
	}
}

// benchTables reads pages of jobs in each order, with what happened to them, and facets.
func benchTables(b *testing.B, s *Store) {
	b.Helper()
	q := queries.JobQuery{Sight: access.Sight{All: true}, Namespace: job.DefaultNamespace, Limit: 50}
	var page []int64
	for _, by := range []string{jobrows.ByTitle, jobrows.ByNext, jobrows.ByUpdated, jobrows.ByLastEnded} {
		q.Order = jobrows.Order{By: by, Down: true}
		timed(b, "jobs-"+by, func() (int, error) {
			found, err := s.JobRanks(b.Context(), q)
			page = page[:0]
			for _, f := range found {
				page = append(page, f.Job.ID)
			}
			return len(found), err
		})
	}
	timed(b, "jobs-last-failed", func() (int, error) {
		q.Last = job.Failed
		found, err := s.JobPage(b.Context(), q)
		q.Last = ""
		return len(found), err
	})
	timed(b, "activity", func() (int, error) {
		found, err := s.Activity(b.Context(), page, time.Now().AddDate(0, 0, -6))
		return len(found), err
	})
	timed(b, "facets", func() (int, error) {
		found, err := s.Facets(b.Context(), q.Sight, q.Namespace)
		return found.Jobs, err
	})
	timed(b, "all-jobs", func() (int, error) { // five pages of 1,000
		of, n := queries.JobQuery{Sight: q.Sight, Namespace: q.Namespace, Limit: 1000}, 0
		for {
			found, err := s.JobPage(b.Context(), of)
			if n += len(found); err != nil || len(found) < of.Limit {
				return n, err
			}
			of.After = found[len(found)-1].Key
		}
	})
}

// timed runs a benchmark of reads that tells the rows of one, and the slowest.
func timed(b *testing.B, name string, read func() (int, error)) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		rows := 0
		var slowest time.Duration
		for b.Loop() {
			began := time.Now()
			n, err := read()
			if err != nil {
				b.Fatal(err)
			}
			rows, slowest = n, max(slowest, time.Since(began))
		}
		b.ReportMetric(float64(rows), "rows")
		b.ReportMetric(float64(slowest.Microseconds())/1000, "max-ms")
	})
}

// longHistory returns a store with a number of runs.
func longHistory(b *testing.B, runs int) (*Store, []job.Job) {
	b.Helper()
	folder := *kept
	if folder == "" {
		folder = b.TempDir()
	}
	path := filepath.Join(folder, "orth.db")
	_, missing := os.Stat(path)
	s, err := Open(path, Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	lifecycletest.Start(b, s.Run)
	jobs := make([]job.Job, 5000)
	if missing == nil { // as it was filled before
		for i := range jobs {
			jobs[i].ID = int64(i + 1)
		}
		return s, jobs
	}
	for i := range jobs {
		namespace := job.DefaultNamespace
		if i%500 == 19 { // those of one group, and few
			namespace = "team"
		}
		jobs[i], err = s.CreateJob(b.Context(), job.Job{
			Namespace: namespace, Key: fmt.Sprintf("job-%d", i), Group: fmt.Sprintf("g%d", i%20), Schedule: schedule.Spec{Kind: schedule.KindManual},
			Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"}, CreatedAt: time.Now(), UpdatedAt: time.Now(),
			Labels: map[string]string{"tier": strconv.Itoa(i % 10), "owner": fmt.Sprintf("team-%d", i%30)},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	db, err := openPool(path, 1, writeSettings(&Config{}))
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	}()
	const fill = `WITH RECURSIVE n (id) AS (SELECT ? UNION ALL SELECT id + 1 FROM n WHERE id < ?)
		INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, reason, ready_at, due_at, created_at, started_at,
		ended_at, message, attempt_id, tries, asked_by, address, triggered_at, accepted_at)
		SELECT n.id, j.id, 1, j.group_id, 1893456000000 + n.id * 1000, CASE WHEN n.id % 10000 = 7 THEN 'manual' ELSE 'schedule' END, 0,
		CASE WHEN n.id > ? - 20 THEN 'planned' WHEN n.id % 100000 = 3 THEN 'lost' WHEN n.id % 1000 = 5 THEN 'failed' ELSE 'succeeded' END, '',
		CASE WHEN n.id > ? - 20 THEN 1893456000000 END, 1893456000000, 1893456000000 + n.id * 1000,
		1893456000000 + n.id * 1000 + CASE WHEN n.id % 5000 = 11 THEN 6000 ELSE 3 END,
		CASE WHEN n.id > ? - 20 THEN NULL ELSE 1893456007000 + n.id * 1000 + n.id % 50000 END,
		'exit code ' || CASE WHEN n.id % 5000 = 12 THEN 7 ELSE 0 END, n.id, 1, CASE WHEN n.id % 10000 = 7 THEN 'user-1' ELSE '' END,
		'http://10.0.0.' || (n.id % 8) || ':9999', CASE WHEN n.id <= ? - 20 THEN 1893456000000 + n.id * 1000 END,
		CASE WHEN n.id <= ? - 20 THEN 1893456000003 + n.id * 1000 END
		FROM n CROSS JOIN jobs j ON j.id = n.id % 5000 + 1`
	for from := 1; from <= runs; from += fillAtOnce {
		to := min(from+fillAtOnce-1, runs)
		if _, err := db.ExecContext(b.Context(), fill, from, to, runs, runs, runs, runs, runs); err != nil {
			b.Fatal(err)
		}
	}
	if err := fillSpans(b.Context(), db); err != nil {
		b.Fatal(err)
	}
	return s, jobs
}

// fillAtOnce is how many runs are written in one transaction: the log of it stays small.
const fillAtOnce = 250_000
