package sqlite

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/store/storetest"
	"github.com/orthd/orth/job"
)

var past = flag.Int("past", 0, "how many runs are over already when BenchmarkPath begins")

// BenchmarkPath takes 1,000 firings from due to done, as the rooms do it: each
// iteration fires and completes them, in batches of 500. It reports runs per second and the
// processor time per run, of all threads, by the step.
func BenchmarkPath(b *testing.B) {
	const jobs = 1000
	path := filepath.Join(b.TempDir(), "orth.db")
	p := storetest.NewPath(b, benchStoreAt(b, path), storetest.ProcessorTime, jobs)
	if *past > 0 {
		db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=synchronous(off)&_pragma=busy_timeout(10000)")
		if err == nil {
			err = errors.Join(storetest.FillPast(b.Context(), db, *past), fillSpans(b.Context(), db), db.Close())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		p.Fire(b)
		p.Complete(b)
	}
	p.Report(b)
}

// BenchmarkLong takes 1,000 firings the longest way that does not fail: they are planned, wait,
// are sent, last until that is noted, and end at a server that has not sent them.
func BenchmarkLong(b *testing.B) {
	p := newPath(b, 1000)
	for b.Loop() {
		p.Plan(b)
		p.Mark(b)
		p.Accept(b)
		p.CompleteForeign(b)
	}
	p.Report(b)
}

// BenchmarkAlone takes one firing after the other from due to done, each step in a
// transaction of its own, as a server does that has little to do.
func BenchmarkAlone(b *testing.B) {
	p := newPath(b, 1)
	for b.Loop() {
		p.Fire(b)
		p.Complete(b)
	}
	p.Report(b)
}

// BenchmarkLease is one heartbeat in a transaction of its own, and many that
// share transactions.
func BenchmarkLease(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := benchStore(b)
			b.SetParallelism(callers)
			before := storetest.ProcessorTime()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_, err := s.PutLease(b.Context(), job.Executor{
						Group: "demo", Address: "http://10.0.0.1:9999", LeaseUntil: time.Now().Add(time.Minute), SeenAt: time.Now(),
					})
					if err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64((storetest.ProcessorTime()-before).Nanoseconds())/1000/float64(b.N), "cpu-us/op")
		})
	}
}

// BenchmarkRemove removes 500 runs that are over, with their attempts, in one
// transaction: as long as others wait for the past. They are of 500 jobs, or of 10.
func BenchmarkRemove(b *testing.B) {
	for _, jobs := range []int{storetest.PathBatch, 10} {
		b.Run(fmt.Sprintf("jobs=%d", jobs), func(b *testing.B) {
			p := newPath(b, jobs)
			var spent time.Duration
			for b.Loop() {
				b.StopTimer()
				var ids []int64
				for len(ids) < storetest.PathBatch {
					p.Fire(b)
					p.Complete(b)
					for i := range p.Runs {
						ids = append(ids, p.Runs[i].ID)
					}
				}
				before := storetest.ProcessorTime()
				b.StartTimer()
				if n, err := p.RemoveRuns(b.Context(), ids); n != storetest.PathBatch || err != nil {
					b.Fatalf("%d were removed, %v", n, err)
				}
				spent += storetest.ProcessorTime() - before
			}
			runs := float64(b.N * storetest.PathBatch)
			b.ReportMetric(runs/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric(float64(spent.Nanoseconds())/1000/runs, "cpu-us/run")
		})
	}
}

func benchStore(b *testing.B) *Store {
	b.Helper()
	return benchStoreAt(b, filepath.Join(b.TempDir(), "orth.db"))
}

func benchStoreAt(b *testing.B, path string) *Store {
	b.Helper()
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
	return s
}

func newPath(b *testing.B, jobs int, edit ...func(*job.Job)) *storetest.Path {
	b.Helper()
	return storetest.NewPath(b, benchStore(b), storetest.ProcessorTime, jobs, edit...)
}
