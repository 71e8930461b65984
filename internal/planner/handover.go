package planner

import (
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Handoff takes freshly planned runs without another read of the database.
type Handoff interface {
	// Free returns how many runs may be handed over now. Zero means to hold back; the jobs
	// stay due for a while.
	Free() int
	// Take hands over committed runs, at most as many as Free has returned, in no
	// particular order.
	Take(runs []job.Run)
	// Offer hands over uncommitted moves, in order of due time. Together with the runs of
	// Take they are at most as many as Free has returned.
	Offer(moves []Offered)
}

// plan is a move, which of its runs are handed over or left to any dispatcher, and the
// slots that it took from the pacer.
type plan struct {
	due    Due // the job as it was read
	move   Move
	offer  bool // it is committed when its run is sent
	group  int64
	handed []job.Run
	left   int
	slots  []int64
}

// spread sets the start of each catch-up run: not before its own time, spacing after the
// previous one, where the pacer has a slot. The first one takes no slot with atOnce.
func (p *plan) spread(pace *pacer, limits schedule.MisfireLimits, atOnce bool) {
	nth := 0
	var next time.Time
	for i := range p.move.Runs {
		r := &p.move.Runs[i]
		if r.State != job.Planned || r.Cause != job.CauseMisfire {
			continue
		}
		due, slot := r.DueAt, int64(noSlot)
		if nth > 0 || !atOnce {
			due, slot = pace.place(laterOf(r.DueAt, next), nth)
		}
		if slot != noSlot {
			p.slots = append(p.slots, slot)
		}
		r.DueAt, r.ReadyAt = due, laterOf(due, r.ReadyAt)
		next = due.Add(limits.Spacing)
		nth++
	}
}

// handOver hides up to room planned runs of the move from other dispatchers for the
// duration of a claim: those to be sent by until. The others stay visible: a dispatcher
// with room claims their rows.
func (p *plan) handOver(room int, until time.Time, claim time.Duration) {
	for i := range p.move.Runs {
		r := &p.move.Runs[i]
		if len(p.handed) >= room {
			return
		}
		if r.State == job.Planned && !r.DueAt.After(until) {
			r.ReadyAt = r.ReadyAt.Add(claim)
			p.handed = append(p.handed, *r)
		}
	}
}

// waiting counts the runs to be sent now.
func (p *plan) waiting(now time.Time) (n int) {
	for i := range p.move.Runs {
		if r := &p.move.Runs[i]; r.State == job.Planned && !r.DueAt.After(now) {
			n++
		}
	}
	return n
}
