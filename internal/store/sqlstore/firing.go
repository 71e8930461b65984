package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

// By blocked's primary key.
const listBlockedJobs = `SELECT DISTINCT job_id FROM blocked WHERE job_id IN (%s)`

// CommitFirings carries out moves that each have one run, in one transaction, and says of
// each what came of it. The moves take effect as those of CommitPlan. A mark takes effect if
// the job has room for it and no run that waits for room; else its run waits. A run that
// waits is hidden until its ReadyAt. A move with another number of runs, and a mark that
// comes from another state than planned or is of another run, are Invalid.
func (s *Store) CommitFirings(ctx context.Context, firings []dispatcher.Firing) ([]dispatcher.Birth, error) {
	for i := range firings {
		f := &firings[i]
		one := len(f.Move.Runs) == 1
		if m := f.Mark; one && m != nil {
			one = m.From == job.Planned && m.Attempt.RunID == f.Move.Runs[0].ID && m.Attempt.ID == m.Attempt.RunID && m.Attempt.Number == 1
		}
		if !one {
			return nil, job.Errorf(job.Invalid, "a firing of job %d is not one run and the mark of its first attempt", f.Move.JobID)
		}
	}
	if len(firings) == 0 {
		return nil, nil
	}
	births := make([]dispatcher.Birth, len(firings))
	err := s.writer.update(ctx, func(t *tx) error {
		clear(births)
		return s.fire(t, firings, births)
	})
	if err != nil {
		return nil, err
	}
	return births, nil
}

// fire writes firings, and notes what came of each.
func (s *Store) fire(t *tx, firings []dispatcher.Firing, births []dispatcher.Birth) error {
	moves, done := make([]*planner.Move, len(firings)), make([]bool, len(firings))
	for i := range firings {
		moves[i] = firings[i].Move
	}
	if err := t.move(moves, done); err != nil {
		return err
	}
	room, err := t.freeJobs(firings, done)
	if err != nil {
		return err
	}
	var args [][]any
	var born []*dispatcher.Firing
	var of []int
	runs := make([]job.Run, len(firings))
	for i := range firings {
		if !done[i] {
			continue
		}
		f, r := &firings[i], &runs[i]
		*r = f.Move.Runs[0]
		births[i] = dispatcher.BirthWaits
		if f.Mark != nil && room(f.Mark) {
			births[i] = dispatcher.BirthSent
			r.State, r.ReadyAt = job.Dispatched, time.Time{}
			args = append(args, sentRunArgs(r, f.Mark))
		} else {
			args = append(args, runArgs(r))
		}
		born, of = append(born, f), append(of, i)
	}
	written, err := t.each(&s.insertRunsOnce, args)
	if err != nil {
		return err
	}
	var marks []*dispatcher.Mark
	for n, f := range born {
		i := of[n]
		m := *f.Move
		m.Runs = runs[i : i+1]
		if _, err := t.follows(&m, written[n:n+1]); err != nil {
			return err
		}
		switch {
		case !written[n]:
			births[i] = dispatcher.BirthKnown
		case births[i] == dispatcher.BirthSent:
			marks = append(marks, f.Mark)
		}
	}
	return t.attempted(marks)
}

// freeJobs returns what tells of each mark whether its job has room for it, and takes that
// room.
func (t *tx) freeJobs(firings []dispatcher.Firing, done []bool) (func(m *dispatcher.Mark) bool, error) {
	open, blocked := make(map[int64]int), make(map[int64]bool) // by job
	var jobs []int64
	for i := range firings {
		if m := firings[i].Mark; done[i] && m != nil && m.Limit.Runs > 0 {
			jobs = append(jobs, m.Attempt.JobID)
		}
	}
	if len(jobs) == 0 {
		return func(*dispatcher.Mark) bool { return true }, nil
	}
	type counted struct {
		job int64
		n   int
	}
	var some int64
	if _, err := t.read(anyBlocked, []any{0}, []any{(*integer)(&some)}); err != nil {
		return nil, err
	}
	for ids := range slices.Chunk(jobs, maxWide) {
		args := sized(ids)
		err := readEach(t, func(c *counted) []any { return []any{(*integer)(&c.job), (*count)(&c.n)} },
			func(c *counted) { open[c.job] = c.n }, in(countBusy, len(args)), args...)
		if err == nil && some != 0 {
			err = readEach(t, func(id *int64) []any { return []any{(*integer)(id)} },
				func(id *int64) { blocked[*id] = true }, in(listBlockedJobs, len(args)), args...)
		}
		if err != nil {
			return nil, err
		}
	}
	return func(m *dispatcher.Mark) bool {
		id := m.Attempt.JobID
		if m.Limit.Runs > 0 && (blocked[id] || open[id] >= m.Limit.Runs) {
			return false
		}
		open[id]++
		return true
	}, nil
}
