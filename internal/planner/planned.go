package planner

import "github.com/orthd/orth/job"

// Planned is what a committed plan has made.
type Planned struct {
	// Jobs is how many were moved on to their next firing.
	Jobs int
	// Runs is how many are to be sent, Misfired those of them that make up for what
	// was missed.
	Runs, Misfired int
	// Skipped is how many only tell why nothing was sent.
	Skipped int
}

// note counts the runs of a job.
func (p *Planned) note(runs []job.Run) {
	p.Jobs++
	for i := range runs {
		switch r := &runs[i]; {
		case r.State.Final():
			p.Skipped++
		case r.Cause == job.CauseMisfire:
			p.Runs++
			p.Misfired++
		default:
			p.Runs++
		}
	}
}
