package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// BenchmarkPath takes 1,000 firings from due to done, as the rooms do it: each
// iteration plans, marks, accepts and completes them, in batches of 500. It
// reports runs per second and the processor time per run, of all threads, by
// the step.
func BenchmarkPath(b *testing.B) {
	const jobs = 1000
	p := newPath(b, jobs)
	for b.Loop() {
		p.plan(b)
		p.mark(b)
		p.accept(b)
		p.complete(b)
	}
	runs := float64(b.N * jobs)
	b.ReportMetric(runs/b.Elapsed().Seconds(), "runs/s")
	total := time.Duration(0)
	for _, step := range []string{"plan", "mark", "accept", "snapshot", "complete"} {
		total += p.spent[step]
		b.ReportMetric(float64(p.spent[step].Nanoseconds())/1000/runs, "cpu-us/"+step)
	}
	b.ReportMetric(float64(total.Nanoseconds())/1000/runs, "cpu-us/run")
}

// BenchmarkLease is one heartbeat in a transaction of its own, and many that
// share transactions.
func BenchmarkLease(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := benchStore(b)
			b.SetParallelism(callers)
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
		})
	}
}

// BenchmarkRemove removes 500 runs that are over, with their attempts, in one
// transaction: as long as others wait for the past.
func BenchmarkRemove(b *testing.B) {
	p := newPath(b, benchBatch)
	ids := make([]int64, benchBatch)
	for b.Loop() {
		b.StopTimer()
		p.plan(b)
		p.mark(b)
		p.accept(b)
		p.complete(b)
		for i := range p.runs {
			ids[i] = p.runs[i].ID
		}
		b.StartTimer()
		if n, err := p.RemoveRuns(b.Context(), ids); n != benchBatch || err != nil {
			b.Fatalf("%d were removed, %v", n, err)
		}
	}
	b.ReportMetric(float64(b.N*benchBatch)/b.Elapsed().Seconds(), "runs/s")
}

const benchBatch = 500

// path is firings on their way.
type path struct {
	*Store
	at    time.Time // the next firing of all jobs
	limit int
	runs  []job.Run
	marks []dispatcher.Mark
	spent map[string]time.Duration
}

func benchStore(b *testing.B) *Store {
	b.Helper()
	s, err := Open(filepath.Join(b.TempDir(), "orth.db"), Config{})
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
	return s
}

func newPath(b *testing.B, jobs int, edit ...func(*job.Job)) *path {
	b.Helper()
	p := &path{Store: benchStore(b), at: time.UnixMilli(1_700_000_000_000), limit: jobs, spent: map[string]time.Duration{}}
	errs := make(chan error, jobs)
	for i := range jobs {
		go func() {
			j := job.Job{
				Namespace: job.DefaultNamespace, Key: fmt.Sprintf("job-%d", i), Group: "demo", Enabled: true, NextAt: p.at,
				Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "* * * * * ?"}, Misfire: schedule.MisfireSkip,
				Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"}, Route: job.RouteRound,
			}
			for _, fn := range edit {
				fn(&j)
			}
			_, err := p.CreateJob(b.Context(), j)
			errs <- err
		}()
	}
	for range jobs {
		if err := <-errs; err != nil {
			b.Fatal(err)
		}
	}
	return p
}

// measure runs one step and adds its processor time.
func (p *path) measure(b *testing.B, step string, do func() error) {
	b.Helper()
	before := processorTime()
	if err := do(); err != nil {
		b.Fatal(err)
	}
	p.spent[step] += processorTime() - before
}

func (p *path) plan(b *testing.B) {
	b.Helper()
	p.runs = p.runs[:0]
	p.measure(b, "plan", func() error {
		for len(p.runs) < p.limit {
			due, err := p.DueJobs(b.Context(), p.at, benchBatch)
			if err != nil {
				return err
			}
			moves := make([]planner.Move, len(due))
			for i, d := range due {
				id, err := p.NextRunID(b.Context())
				if err != nil {
					return err
				}
				moves[i] = planner.Move{
					JobID: d.JobID, Version: d.Version, From: d.Next, Next: d.Next.Add(time.Second), Last: d.Next,
					Runs: []job.Run{{
						ID: id, JobID: d.JobID, JobVersion: d.Version, GroupID: d.GroupID, PlannedAt: d.Next, Cause: job.CauseSchedule,
						State: job.Planned, ReadyAt: d.Next.Add(15 * time.Second), DueAt: d.Next, CreatedAt: d.Next,
					}},
				}
				p.runs = append(p.runs, moves[i].Runs...)
			}
			if err := allTrue(p.CommitPlan(b.Context(), moves)); err != nil {
				return err
			}
		}
		return nil
	})
	p.at = p.at.Add(time.Second)
}

func (p *path) mark(b *testing.B) {
	b.Helper()
	p.marks = p.marks[:0]
	p.measure(b, "mark", func() error {
		for i := range p.runs {
			r := &p.runs[i]
			id, err := p.NextAttemptID(b.Context())
			if err != nil {
				return err
			}
			p.marks = append(p.marks, dispatcher.Mark{
				From: r.State, JobVersion: r.JobVersion, CheckAt: p.at,
				Attempt: job.Attempt{
					ID: id, RunID: r.ID, JobID: r.JobID, Number: 1, Address: "http://10.0.0.1:9999", TriggeredAt: r.PlannedAt,
				},
			})
		}
		for from := 0; from < len(p.marks); from += benchBatch {
			if err := allTrue(p.MarkDispatched(b.Context(), p.marks[from:from+benchBatch])); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *path) accept(b *testing.B) {
	b.Helper()
	p.measure(b, "accept", func() error {
		for from := 0; from < len(p.marks); from += benchBatch {
			accepted := make([]dispatcher.Accepted, benchBatch)
			for i, m := range p.marks[from : from+benchBatch] {
				accepted[i] = dispatcher.Accepted{AttemptID: m.Attempt.ID, RunID: m.Attempt.RunID, At: p.at}
			}
			if err := p.MarkAccepted(b.Context(), accepted); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *path) complete(b *testing.B) {
	b.Helper()
	for from := 0; from < len(p.marks); from += benchBatch {
		ids := make([]int64, benchBatch)
		completions := make([]completer.Completion, benchBatch)
		for i, m := range p.marks[from : from+benchBatch] {
			ids[i] = m.Attempt.ID
			completions[i] = completer.Completion{
				AttemptID: m.Attempt.ID, RunID: m.Attempt.RunID, Outcome: job.Succeeded, RunState: job.Succeeded, EndedAt: p.at,
				JobID: m.Attempt.JobID, StartedAt: m.Attempt.TriggeredAt,
			}
		}
		p.measure(b, "snapshot", func() error {
			snapshots, err := p.Snapshots(b.Context(), ids)
			if err == nil && len(snapshots) != benchBatch {
				err = fmt.Errorf("%d snapshots", len(snapshots))
			}
			return err
		})
		p.measure(b, "complete", func() error { return allTrue(p.CommitCompletions(b.Context(), completions)) })
	}
}

func allTrue(done []bool, err error) error {
	for i, ok := range done {
		if !ok {
			return fmt.Errorf("number %d took no effect", i)
		}
	}
	return err
}
