package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

const (
	// By blocked's primary key.
	listBlockedJobs = `SELECT DISTINCT job_id FROM blocked WHERE job_id IN (%s)`
	// By runs_ready: waiting runs of a group, at most manyWait.
	listSomeWaiting = `SELECT job_id FROM runs WHERE group_id = ? AND ready_at > 0 LIMIT 100`
)

// manyWait is the number of waiting runs of a group at which their jobs are no longer
// checked.
const manyWait = 100

// CommitFirings carries out moves that each have one run, in one transaction, and returns
// the result of each. The moves take effect as those of CommitPlan. A mark takes effect if
// the job has room for it and no run that waits for room; else its run waits, or nothing is
// written if the firing is to be IfFree: neither then when another run of the job waits, or
// very many of its group. A run that waits is hidden until its ReadyAt. A move with another
// number of runs, and a mark that comes from another state than planned or is of another
// run, are Invalid.
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
	room, err := t.freeJobs(firings)
	if err != nil {
		return err
	}
	overtakes, err := t.overtakes(firings)
	if err != nil {
		return err
	}
	free := make([]bool, len(firings))
	moves, places := make([]*planner.Move, 0, len(firings)), make([]int, 0, len(firings))
	for i := range firings {
		f := &firings[i]
		if f.IfFree && overtakes(f) {
			births[i] = dispatcher.BirthBusy
			continue
		}
		free[i] = f.Mark != nil && room(f.Mark)
		if f.IfFree && !free[i] {
			births[i] = dispatcher.BirthBusy
			continue
		}
		moves, places = append(moves, f.Move), append(places, i)
	}
	done := make([]bool, len(moves))
	if err := t.moveJobs(moves, done); err != nil {
		return err
	}
	var args [][]any
	var born []*dispatcher.Firing
	var of []int
	runs := make([]job.Run, len(firings))
	for n, i := range places {
		if !done[n] {
			continue
		}
		f, r := &firings[i], &runs[i]
		*r = f.Move.Runs[0]
		births[i] = dispatcher.BirthWaits
		if free[i] {
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
		if _, err := t.applyMoveEffects(&m, written[n:n+1]); err != nil {
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

// overtakes returns a function that reports for each firing that is to be IfFree whether it
// would overtake a waiting run of its job.
func (t *tx) overtakes(firings []dispatcher.Firing) (func(f *dispatcher.Firing) bool, error) {
	waiting, crowded := make(map[int64]bool), make(map[int64]bool) // by job, and by group
	for i := range firings {
		f := &firings[i]
		group := f.Move.Runs[0].GroupID
		if _, seen := crowded[group]; seen || !f.IfFree || f.Mark == nil || f.Mark.Limit.Runs == 0 {
			continue
		}
		n := 0
		err := readEach(t, func(id *int64) []any { return []any{(*integer)(id)} }, func(id *int64) {
			n++
			waiting[*id] = true
		}, listSomeWaiting, group)
		if err != nil {
			return nil, err
		}
		crowded[group] = n == manyWait
	}
	return func(f *dispatcher.Firing) bool {
		r := &f.Move.Runs[0]
		return f.Mark != nil && f.Mark.Limit.Runs > 0 && (waiting[r.JobID] || crowded[r.GroupID])
	}, nil
}

// freeJobs returns a function that reports for each mark whether its job has room for it,
// and takes that room.
func (t *tx) freeJobs(firings []dispatcher.Firing) (func(m *dispatcher.Mark) bool, error) {
	open, blocked := make(map[int64]int), make(map[int64]bool) // by job
	var jobs []int64
	for i := range firings {
		if m := firings[i].Mark; m != nil && m.Limit.Runs > 0 {
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
