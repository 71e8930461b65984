package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/job"
)

const (
	// manyJobs are enabled, fewJobs of them fire, each once in hotEvery; the
	// others are due on another day.
	manyJobs = 1_000_000
	fewJobs  = 10_000
	hotEvery = 10 * time.Second
	// idleFor is how long a server with nothing to do is watched.
	idleFor = 30 * time.Second
)

// million measures what jobs cost a server that are not due, beside a server with
// a hundredth of them that does the same work.
func million(ctx context.Context, o options) ([]figure, error) {
	few, err := newRig(o, "few")
	if err != nil {
		return nil, err
	}
	many, err := newRig(o, "million")
	if err != nil {
		return nil, err
	}
	tomorrow := time.Now().Add(24 * time.Hour).Truncate(time.Second)
	hot := func(first time.Time) stock {
		return stock{group: group, jobs: fewJobs, first: first, every: hotEvery, step: hotEvery / fewJobs}
	}
	from := time.Now()
	err = many.fill(ctx, stock{group: group, jobs: manyJobs - fewJobs, first: tomorrow, every: 24 * time.Hour})
	if err != nil {
		return nil, err
	}
	figures := []figure{atMost("filled in", time.Since(from).Seconds(), seconds, 60)}
	// The hot jobs begin when the idle time is over.
	begin := time.Now().Add(idleFor + 20*time.Second).Truncate(time.Second)
	if err := many.fill(ctx, hot(begin)); err != nil {
		return figures, err
	}
	more, err := many.idle(ctx, begin)
	if figures = append(figures, more...); err != nil {
		return figures, err
	}
	perRun, err := many.busy(ctx, begin)
	if err != nil {
		return figures, err
	}
	figures = append(figures, plain("server CPU per run at 1,000/s", perRun, micros),
		atMost("resident memory at 1,000/s", float64(many.server.memory())/(1<<20), mebi, 250))
	revived, err := many.again(ctx)
	many.end()
	if err != nil {
		return figures, err
	}
	figures = append(figures, plain("ready after a kill", revived.ready.Seconds(), seconds),
		atMost("first run after a kill", revived.run.Seconds(), seconds, 1.5))
	begin = time.Now().Add(8 * time.Second).Truncate(time.Second)
	if err := few.fill(ctx, hot(begin)); err != nil {
		return figures, err
	}
	if err := few.startServer(ctx); err != nil {
		return figures, err
	}
	perRunFew, err := few.busy(ctx, begin)
	few.end()
	if err != nil {
		return figures, err
	}
	figures = append(figures, atMost("server CPU per run, of that with 10,000 jobs", perRun/perRunFew, ratio, 1.25))
	more, err = compareClaims(ctx, many, few)
	return append(figures, more...), err
}

// idle starts the server and watches it while nothing is due.
func (r *rig) idle(ctx context.Context, until time.Time) ([]figure, error) {
	r.o.Alone = true
	if err := r.startServer(ctx); err != nil {
		return nil, err
	}
	if time.Until(until) < idleFor+8*time.Second {
		return nil, fmt.Errorf("the jobs are due in %s: the machine is too slow to prepare them in time", time.Until(until))
	}
	if err := wait(ctx, 3*time.Second); err != nil {
		return nil, err
	}
	from := r.server.cpu()
	if err := wait(ctx, idleFor); err != nil {
		return nil, err
	}
	used := r.server.cpu() - from
	return []figure{
		atMost("CPU while nothing is due, of a core", 100*used.Seconds()/idleFor.Seconds(), percent, 0.5),
		atMost("resident memory while nothing is due", float64(r.server.memory())/(1<<20), mebi, 250),
	}, nil
}

// busy starts the executor and returns the server's processor time for each run,
// in µs, once the jobs fire.
func (r *rig) busy(ctx context.Context, begin time.Time) (float64, error) {
	if err := r.startExecutor(ctx); err != nil {
		return 0, err
	}
	if err := wait(ctx, time.Until(begin.Add(2*time.Second))); err != nil {
		return 0, err
	}
	w, err := r.window(ctx, r.o.Window)
	return w.serverCPU(), err
}

// Claims are measured by the store alone, in a process of their own.
const (
	claimRounds  = 3
	claimBatches = 60
	claimBatch   = 500
)

// compareClaims measures what it costs to read due jobs and to plan them, in the
// databases of two servers that have ended, in turns; the best rounds count.
func compareClaims(ctx context.Context, many, few *rig) ([]figure, error) {
	best := make([]float64, 2)
	for range claimRounds {
		for i, r := range []*rig{many, few} {
			w, err := child(ctx, r.o, "planner")
			if err != nil {
				return nil, err
			}
			text, err := w.answers()
			w.end()
			if err != nil {
				return nil, err
			}
			each, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, fmt.Errorf("the planner says %q: %w", text, err)
			}
			if best[i] == 0 || each < best[i] {
				best[i] = each
			}
		}
	}
	return []figure{
		plain("planner's CPU for each planned row", best[0], micros), plain("with 10,000 jobs", best[1], micros),
		atMost("of that with 10,000 jobs", best[0]/best[1], ratio, 1.25),
	}, nil
}

// plannerRole reads and plans due jobs of a database and prints the processor time
// of each in µs.
func plannerRole(ctx context.Context, o options) error {
	db, err := sqlite.Open(filepath.Join(o.Dir, "server", "orth.db"), sqlite.Config{})
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- db.Run(running) }()
	used, err := planBatches(ctx, db)
	stop()
	fmt.Println(float64(used.Microseconds()) / (claimBatches * claimBatch))
	return errors.Join(err, <-ended, db.Close())
}

func planBatches(ctx context.Context, db *sqlite.Store) (used time.Duration, err error) {
	now := time.Now()
	from := cpuOf(os.Getpid())
	for range claimBatches {
		due, err := db.DueJobs(ctx, planner.Cursor{}, now.Add(12*time.Hour), claimBatch)
		if err != nil {
			return 0, err
		}
		moves := make([]planner.Move, len(due))
		for i, d := range due {
			id, err := db.NextRunID(ctx)
			if err != nil {
				return 0, err
			}
			moves[i] = planner.Move{
				JobID: d.JobID, Version: d.Version, From: d.Next, Next: d.Next.Add(hotEvery), Last: d.Next, Fired: d.Fired + 1,
				Runs: []job.Run{{
					ID: id, JobID: d.JobID, JobVersion: d.Version, GroupID: d.GroupID, PlannedAt: d.Next, DueAt: d.Next, ReadyAt: d.Next,
					Cause: job.CauseSchedule, State: job.Planned, CreatedAt: now,
				}},
			}
		}
		done, err := db.CommitPlan(ctx, moves)
		if err != nil {
			return 0, err
		}
		if len(done) < claimBatch || slices.Contains(done, false) {
			return 0, fmt.Errorf("of %d jobs not all were planned", len(due))
		}
	}
	return cpuOf(os.Getpid()) - from, nil
}
