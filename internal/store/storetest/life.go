package storetest

import (
	"context"
	"errors"
	"sync"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

func lifeTests() []test {
	return []test{
		{"ids are never given twice", idsOnce},
		{"a new process finds everything", reopenKeeps},
		{"acknowledged writes outlive their caller", acknowledgedStays},
		{"an ended context writes nothing", endedContext},
		{"an ended store refuses writes", endedStore},
		{"concurrent writers do not lose each other's rows", manyWriters},
	}
}

func idsOnce(b *bench) {
	seen := map[int64]bool{}
	var highest int64
	take := func(ids []int64) {
		for _, id := range ids {
			if id <= 0 || seen[id] {
				b.Fatalf("id %d is given twice, or is not positive", id)
			}
			seen[id] = true
			highest = max(highest, id)
		}
	}
	draw := func(next func(context.Context) (int64, error)) []int64 {
		var mu sync.Mutex
		var ids []int64
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				for range 501 {
					id, err := next(b.ctx())
					if err != nil {
						b.Errorf("unexpected error: %v", err)
						return
					}
					mu.Lock()
					ids = append(ids, id)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		return ids
	}
	take(draw(b.NextRunID))
	before := highest
	b.reopen()
	id, err := b.NextRunID(b.ctx())
	b.ok(err)
	take([]int64{id})
	if id <= before {
		b.Fatalf("id %d after a restart, %d before", id, before)
	}
	take(draw(b.NextAttemptID)) // no attempt has the id of a run but the first one of that
}

func reopenKeeps(b *bench) {
	j := b.create()
	stopped := b.create(func(j *job.Job) { j.Enabled = false })
	waiting, a := b.trigger(j, b.now), b.dispatch(b.trigger(j, b.now))
	b.accept(a)
	retried := b.retrying(b.trigger(j, b.now), b.at(60))
	b.beat("demo", executorAddress, 90)
	type all struct {
		Jobs      []job.Job
		Runs      []job.Run
		Attempts  [][]job.Attempt
		Executors []job.Executor
	}
	read := func() (a all) {
		var err error
		a.Jobs, err = b.Jobs(b.ctx(), jobrows.JobFilter{Namespace: job.DefaultNamespace})
		b.ok(err)
		a.Runs, err = b.Runs(b.ctx(), jobrows.RunFilter{})
		b.ok(err)
		for _, r := range a.Runs {
			a.Attempts = append(a.Attempts, b.attempts(r.ID))
		}
		a.Executors = b.alive(0)
		return a
	}
	before := read()
	b.same("numbers", []int{len(before.Jobs), len(before.Runs), len(before.Executors)}, []int{2, 3, 1})
	b.reopen()
	b.same("everything", read(), before)
	b.complete(a, job.Succeeded)
	b.dispatch(waiting)
	b.dispatch(retried)
	b.save(stopped, func(j *job.Job) { j.Title = changed })
}

func acknowledgedStays(b *bench) {
	j := b.create()
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	var acknowledged []int64
	var all sync.WaitGroup
	for range 50 {
		r := b.firing(j, b.now)
		r.Cause, r.CauseID = job.CauseManual, r.ID
		all.Go(func() {
			err := b.AddRun(ctx, r)
			switch {
			case err == nil:
				mu.Lock()
				acknowledged = append(acknowledged, r.ID)
				if len(acknowledged) == 10 {
					cancel()
				}
				mu.Unlock()
			case !errors.Is(err, context.Canceled):
				b.Errorf("unexpected error: %v", err)
			}
		})
	}
	all.Wait()
	cancel()
	b.reopen()
	for _, id := range acknowledged {
		b.state(id, job.Planned)
	}
	if n := len(b.runs(j)); n < 10 || n != len(acknowledged) {
		b.Fatalf("%d runs are there, %d were acknowledged", n, len(acknowledged))
	}
}

func endedContext(b *bench) {
	j := b.draft()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.CreateJob(ctx, j); !errors.Is(err, context.Canceled) {
		b.Fatalf("CreateJob: got %v", err)
	}
	if _, err := b.Job(ctx, j.Namespace, j.Key); !errors.Is(err, context.Canceled) {
		b.Fatalf("Job: got %v", err)
	}
	_, err := b.Job(b.ctx(), j.Namespace, j.Key)
	b.kind(err, job.NotFound)
}

func endedStore(b *bench) {
	ctx, cancel := context.WithCancel(context.Background())
	dir := b.TempDir()
	s := b.open(b, dir)
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	j, err := s.CreateJob(b.ctx(), b.draft())
	b.ok(err)
	cancel()
	b.ok(<-ended)
	_, err = s.CreateJob(b.ctx(), b.draft())
	b.kind(err, job.Unavailable)
	b.kind(s.DeleteJob(b.ctx(), j, ""), job.Unavailable)
	if s.Run(b.ctx()) == nil {
		b.Fatal("a second Run works")
	}
	got, err := s.Job(b.ctx(), j.Namespace, j.Key) // reading works until Close
	b.ok(err)
	b.same("job", got, j)
	b.ok(s.Close())
}

func manyWriters(b *bench) {
	var jobs []job.Job
	for range 8 {
		jobs = append(jobs, b.create())
	}
	var all sync.WaitGroup
	for _, j := range jobs {
		all.Go(func() {
			for range 20 {
				id, err := b.NextRunID(b.ctx())
				if err == nil {
					err = b.AddRun(b.ctx(), job.Run{
						ID: id, JobID: j.ID, PlannedAt: b.now, Cause: job.CauseManual, CauseID: id,
						State: job.Planned, ReadyAt: b.now, CreatedAt: b.now,
					})
				}
				// A conflict in the same transaction takes nothing with it.
				if _, taken := b.CreateJob(b.ctx(), j); err != nil || !job.Is(taken, job.Conflict) {
					b.Errorf("got %v and %v", err, taken)
					return
				}
			}
		})
	}
	all.Wait()
	for _, j := range jobs {
		b.same("runs", len(b.runs(j)), 20)
	}
}
