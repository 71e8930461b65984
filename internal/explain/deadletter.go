package explain

import "github.com/orthd/orth/job"

// redrive reports the dead run that a run replaces.
func (s *story) redrive(r *RunSnapshot) {
	if r.Parent == nil {
		s.addFact(r.Run.CreatedAt, KindCause, "cause_redrive_gone", "made by a user in the place of run {parent}, which is not kept any more", "parent", r.Run.CauseID)
		return
	}
	s.addFact(r.Run.CreatedAt, KindCause, "cause_redrive", "made by a user in the place of run {parent}, which {parent_end}{reason}", "parent", r.Parent.ID,
		"parent_end", ended(r.Parent.State), "reason", because(r.Parent.Message))
}

// deadLetter reports that the run is a dead letter, and how it was resolved.
func (s *story) deadLetter(d *job.DeadLetter) {
	switch {
	case d == nil:
	case d.RedrivenRun != 0:
		s.addFact(d.EndedAt, KindDeadLetter, "dead_letter_redriven", "it became a dead letter, and run {redriven} was made in its place",
			"redriven", d.RedrivenRun).Run = d.RedrivenRun
	case d.Status == job.LetterClosed:
		s.addFact(d.ClosedAt, KindDeadLetter, "dead_letter_closed", "its dead letter was closed{reason}", "reason", because(d.ClosedReason))
	default:
		s.addFact(d.EndedAt, KindDeadLetter, "dead_letter", "it is a dead letter: a new run can be made in its place")
	}
}
