package planner

import (
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// Offered is one uncommitted move, with one run to be sent at its DueAt. The receiver
// commits the move, the run and its dispatch in one transaction, or the move with a run
// that waits, and reports that to [Planner.Settled]. Until then nothing has happened: a
// lost move costs time, never a firing.
type Offered struct {
	Move *Move
	// Land is when the run has to be a row, sent or not: a firing for which there is no
	// room is late, and must not be missed.
	Land time.Time
}

// Run returns the run of the move.
func (o *Offered) Run() *job.Run { return &o.Move.Runs[0] }

// offers tracks the moves that were handed over and are not committed: in the store their
// jobs are due as before. Only the loop uses it, except for settled.
type offers struct {
	out map[int64]offer // by job

	mu      sync.Mutex
	settled []settled // guarded by mu: not yet seen by the loop
}

// offer is a job as it was read, and the move that was decided for it.
type offer struct {
	due  Due
	move *Move
}

// settled is a move and whether it took effect.
type settled struct {
	move *Move
	done bool
}

// handOver records that a move was handed over.
func (o *offers) handOver(d *Due, m *Move) {
	if o.out == nil {
		o.out = make(map[int64]offer)
	}
	o.out[d.JobID] = offer{*d, m}
}

// isOffered reports whether a move for this state of the job was handed over.
func (o *offers) isOffered(d *Due) bool {
	one, given := o.out[d.JobID]
	return given && one.due.Version == d.Version && one.due.Look.Equal(d.Look) && one.due.Next.Equal(d.Next)
}

// settle records the results of moves.
func (o *offers) settle(moves []*Move, done []bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, m := range moves {
		o.settled = append(o.settled, settled{m, done[i]})
	}
}

// takeSettled returns what was settled since the last call.
func (o *offers) takeSettled() []settled {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := o.settled
	o.settled = nil
	return all
}

// takeBack removes a settled move, and returns its job as it was read. False means that the job
// was read again since, and another move was decided.
func (o *offers) takeBack(m *Move) (Due, bool) {
	one := o.out[m.JobID]
	if one.move != m {
		return Due{}, false
	}
	delete(o.out, m.JobID)
	return one.due, true
}

// Settled reports the results of offered moves: done[i] is whether moves[i] took effect. It
// may be called from any goroutine and never blocks.
func (p *Planner) Settled(moves []*Move, done []bool) {
	p.offers.settle(moves, done)
	soon := time.Now().Add(2 * p.config.Horizon / steps)
	made := Planned{}
	urgent := false
	for i, m := range moves {
		if !done[i] {
			urgent = true // the job has to be read again, and may be due
			continue
		}
		made.countRuns(m.Runs)
		urgent = urgent || !m.Next.IsZero() && m.Next.Before(soon)
	}
	if made.Jobs > 0 {
		p.config.Hooks.Planned(made)
	}
	if urgent {
		p.Again()
	}
}

// learn processes settled moves. A job whose next firing comes so soon that the store was
// already queried for it is planned from its new state. A job whose move did not take
// effect was changed, and is read again.
func (p *Planner) learn() {
	for _, one := range p.offers.takeSettled() {
		d, ours := p.offers.takeBack(one.move)
		switch {
		case !one.done:
			p.lost, p.rules.stale = true, true
		case ours && !one.move.Next.IsZero() && !p.cursor.Before(one.move.Next):
			p.ready = append(p.ready, d.after(one.move))
		}
	}
}

// after returns the job in the state after a move that took effect.
func (d Due) after(m *Move) Due {
	d.Next, d.Look, d.Fired, d.HeldBy = m.Next, m.Look, m.Fired, m.HeldBy
	if d.Look.IsZero() {
		d.Look = d.Next
	}
	d.Last = laterOf(d.Last, m.Last)
	return d
}

// offered reports whether a plan consists of one run to send and nothing else: such a plan
// is committed when the run is sent.
func (p *plan) offered() bool {
	m := &p.move
	return len(m.Runs) == 1 && m.Runs[0].State == job.Planned && m.Runs[0].Cause == job.CauseSchedule && len(p.slots) == 0
}
