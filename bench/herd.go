package main

import (
	"context"
	"errors"
	"time"
)

// herdJobs is how many jobs are due in the same second.
const herdJobs = 10_000

// herd measures how long a server takes for many jobs that are due at one instant,
// until the outcome of the last of them is recorded.
func herd(ctx context.Context, o options) ([]figure, error) {
	r, err := newRig(o, "herd")
	if err != nil {
		return nil, err
	}
	defer r.end()
	at := time.Now().Add(10 * time.Second).Truncate(time.Second)
	if err := r.fill(ctx, stock{group: group, jobs: herdJobs, first: at, every: 24 * time.Hour}); err != nil {
		return nil, err
	}
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	if time.Until(at) < 3*time.Second {
		return nil, errors.New("the machine is too slow to prepare the jobs in time")
	}
	db, err := r.database()
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	if err := wait(ctx, time.Until(at.Add(-time.Second))); err != nil {
		return nil, err
	}
	server, executor := r.server.cpu(), r.executor.cpu()
	r.profile()
	if err := wait(ctx, time.Until(at)); err != nil {
		return nil, err
	}
	const recorded = "SELECT count(*) FROM runs WHERE state = 'succeeded'"
	drained := db.reach(ctx, herdJobs, time.Minute, recorded)
	took := time.Since(at)
	w := window{runs: herdJobs, spent: spent{server: r.server.cpu() - server, executor: r.executor.cpu() - executor}}
	if err := r.profiled(); err != nil {
		return nil, err
	}
	if drained != nil {
		return nil, drained
	}
	if err := wait(ctx, time.Second); err != nil { // would anything come twice?
		return nil, err
	}
	return herdFigures(ctx, r, db, w, took)
}

func herdFigures(ctx context.Context, r *rig, db *database, w window, took time.Duration) ([]figure, error) {
	notes, err := r.notes()
	if err != nil {
		return nil, err
	}
	jobs, err := db.number(ctx, "SELECT count(DISTINCT job_id) FROM runs WHERE state = 'succeeded'")
	if err != nil {
		return nil, err
	}
	late := latenessOf(notes)
	return []figure{
		atMost("drained in", took.Seconds(), seconds, 1), plain("recorded", herdJobs/took.Seconds(), rate),
		plain("server CPU per run", w.serverCPU(), micros), plain("executor CPU per run", w.executorCPU(), micros),
		plain("late p50", late.at(0.50), millis), plain("late p99", late.at(0.99), millis),
		atMost("lost", float64(herdJobs-jobs), count, 0), atMost("doubled", doubled(notes), count, 0),
	}, nil
}
