package planner

import "github.com/orthd/orth/job"

// Planned counts the effects of a committed plan.
type Planned struct {
	// Jobs is how many jobs moved to their next firing.
	Jobs int
	// Runs is how many runs are to be sent, Misfired how many of them make up for missed
	// firings.
	Runs, Misfired int
	// Skipped is how many runs only record why nothing was sent.
	Skipped int
}

// countRuns counts the runs of a job.
func (p *Planned) countRuns(runs []job.Run) {
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
