package main

import (
	"context"
	"errors"
	"time"

	"github.com/orthd/orth/job"
)

// demand is jobs that each fire at a fixed rate.
type demand struct {
	jobs  int
	every time.Duration
}

func (d demand) offered() float64 { return float64(d.jobs) / d.every.Seconds() }

// path is the whole path under a load. Targets of 0 are none.
type path struct {
	demand
	p50, p99 float64 // targets for the lateness, ms
	memory   float64 // target for the server's resident memory, MiB
	dialect  job.Dialect
	shared   bool   // on the database of -db, not SQLite
	peer     string // program of another make that is the executor
}

func offer(d demand) path { return path{demand: d, dialect: job.DialectXXL} }

func target(d demand, p50, p99 float64) path {
	return path{demand: d, p50: p50, p99: p99, dialect: job.DialectXXL}
}

// natively is the path in Orth's own protocol.
func (p path) natively() path {
	p.dialect = job.DialectNative
	return p
}

// within is the path with a target for the server's resident memory in MiB.
func (p path) within(memory float64) path {
	p.memory = memory
	return p
}

// warmup is the time before the window: the jobs' first firings.
const warmup = 4 * time.Second

// run measures the load in fresh processes and folders.
func (p path) run(ctx context.Context, o options) ([]figure, error) {
	o.Jobs, o.Every, o.Dialect = p.jobs, p.every, string(p.dialect)
	r, err := newRig(o, "path")
	if err != nil {
		return nil, err
	}
	defer r.end()
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	if err := wait(ctx, warmup); err != nil {
		return nil, err
	}
	w, err := r.window(ctx, o.Window)
	if err != nil {
		return nil, err
	}
	return p.figures(ctx, r, w)
}

func (p path) figures(ctx context.Context, r *rig, w window) ([]figure, error) {
	if err := wait(ctx, time.Second); err != nil { // what is under way ends
		return nil, err
	}
	late := latenessOf(w.notes)
	memory := plain("server's resident memory", float64(r.server.memory())/(1<<20), mebi)
	if p.memory > 0 {
		memory = atMost(memory.what, memory.got, mebi, p.memory)
	}
	figures := []figure{
		plain("offered", p.offered(), rate), plain("recorded", w.rate(), rate),
		plain("server CPU per run", w.serverCPU(), micros), plain("executor CPU per run", w.executorCPU(), micros),
		memory, plain("rows planned for each run recorded", float64(w.planned)/float64(w.runs), ratio),
		p.judge("late p50", late.at(0.50), p.p50), p.judge("late p99", late.at(0.99), p.p99), plain("late p99.9", late.at(0.999), millis),
	}
	if w.rate() < 0.9*p.offered() {
		return figures, nil
	}
	lost, err := p.lost(ctx, r, w)
	return append(figures, atMost("lost", lost, count, 0), atMost("doubled", doubled(w.notes), count, 0)), err
}

func (p path) judge(what string, got, target float64) figure {
	if target == 0 {
		return plain(what, got, millis)
	}
	return atMost(what, got, millis, target)
}

// lost counts the slots of whole seconds within the window that have no run.
func (p path) lost(ctx context.Context, r *rig, w window) (float64, error) {
	db, err := r.database()
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	from, to := w.from.Truncate(time.Second).Add(time.Second), w.to.Truncate(time.Second)
	n, err := db.number(ctx, "SELECT count(*) FROM runs WHERE state <> 'skipped' AND planned_at >= ? AND planned_at < ?",
		from.UnixMilli(), to.UnixMilli())
	return float64(to.Sub(from)/p.every)*float64(p.jobs) - float64(n), err
}

// window is what was seen of a rig in a time.
type window struct {
	spent

	from, to time.Time
	runs     int64 // recorded
	planned  int64 // rows made
	notes    []note
}

func (w window) rate() float64 { return float64(w.runs) / w.to.Sub(w.from).Seconds() }

// serverCPU is the server's processor time for each run, in µs.
func (w window) serverCPU() float64 { return float64(w.server.Microseconds()) / float64(w.runs) }

// executorCPU is the executor's.
func (w window) executorCPU() float64 { return float64(w.executor.Microseconds()) / float64(w.runs) }

// databaseCPU is that of the database's processes.
func (w window) databaseCPU() float64 { return float64(w.database.Microseconds()) / float64(w.runs) }

// watch watches the processes of the rig for a time. It does not know how many runs they have
// recorded.
func (r *rig) watch(ctx context.Context, d time.Duration) (w window, err error) {
	if _, err := r.notes(); err != nil { // forget what was before
		return w, err
	}
	r.profile()
	before := r.spent(ctx)
	w.from = time.Now()
	if err := wait(ctx, d); err != nil {
		return w, err
	}
	w.to = time.Now()
	w.spent = r.spent(ctx).since(before)
	if err := r.profiled(); err != nil {
		return w, err
	}
	w.notes, err = r.notes()
	return w, err
}

// window watches the rig for a time and counts its runs.
func (r *rig) window(ctx context.Context, d time.Duration) (w window, err error) {
	if w, err = r.watch(ctx, d); err != nil {
		return w, err
	}
	db, err := r.database()
	if err != nil {
		return w, err
	}
	defer func() { _ = db.Close() }()
	from, to := w.from.UnixMilli(), w.to.UnixMilli()
	if w.runs, err = db.number(ctx, "SELECT count(*) FROM runs WHERE state = 'succeeded' AND ended_at >= ? AND ended_at < ?", from, to); err != nil {
		return w, err
	}
	if w.runs == 0 {
		return w, errors.New("no run was recorded")
	}
	w.planned, err = db.number(ctx, "SELECT count(*) FROM runs WHERE created_at >= ? AND created_at < ?", from, to)
	return w, err
}
