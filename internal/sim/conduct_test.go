package sim

import (
	"strings"

	"github.com/orthd/orth/job"
)

// attempts judges what the database says of attempts by what handlers did.
func (j *judge) attempts(runs []job.Run) {
	journal := j.w.journal.byAttempt()
	for i := range runs {
		r := &runs[i]
		attempts := j.attemptsOf(r.ID)
		j.sequence(r, attempts)
		j.turns(r, attempts, journal)
		j.starts(r, attempts, journal)
		j.why(r, attempts)
		for k := range attempts {
			j.attempt(r, &attempts[k], journal[attempts[k].ID])
			delete(journal, attempts[k].ID)
		}
	}
	for attempt := range journal {
		j.fault("I4: attempt %d ran and is not in the database", attempt)
	}
}

// sequence judges that a run's attempts follow one another and agree with its end.
func (j *judge) sequence(r *job.Run, attempts []job.Attempt) {
	if len(attempts) != r.Tries {
		j.fault("I6: run %d has %d attempts and says %d", r.ID, len(attempts), r.Tries)
	}
	for i, a := range attempts {
		last := i == len(attempts)-1
		switch {
		case a.Number != i+1:
			j.fault("I6: attempt %d of run %d is number %d, not %d", a.ID, r.ID, a.Number, i+1)
		case r.State.Final() && !a.State.Final():
			j.fault("I3: attempt %d of run %d is %s, the run %s", a.ID, r.ID, a.State, r.State)
		case !last && (a.State == job.Succeeded || a.State == job.Cancelled):
			j.fault("I7: attempt %d of run %d %s, and another followed", a.ID, r.ID, a.State)
		case last && a.State == job.Succeeded && r.State == job.Cancelled && r.Reason != "": // the wish to cancel it came first
		case last && (a.State == job.Succeeded) != (r.State == job.Succeeded):
			j.fault("I6: the last attempt %d of run %d is %s, the run %s", a.ID, r.ID, a.State, r.State)
		}
	}
	if r.State == job.Succeeded && len(attempts) == 0 {
		j.fault("I5: run %d succeeded without an attempt", r.ID)
	}
}

// turns judges that no attempt began while an earlier one of the run was at work,
// unless that had been given up as lost.
func (j *judge) turns(r *job.Run, attempts []job.Attempt, journal map[int64][]entry) {
	for i := range attempts {
		for _, e := range journal[attempts[i].ID] {
			for k := range attempts[:i] {
				for _, earlier := range journal[attempts[k].ID] {
					if attempts[k].State != job.Lost && (earlier.over.IsZero() || e.began.Before(earlier.over)) {
						j.fault("I7: attempt %d of run %d began while attempt %d was at work", e.attempt, r.ID, earlier.attempt)
					}
				}
			}
		}
	}
}

// attempt judges one attempt by the calls of its handler.
func (j *judge) attempt(r *job.Run, a *job.Attempt, calls []entry) {
	made := j.w.jobs[r.JobID]
	for _, e := range calls[:max(len(calls)-1, 0)] {
		if made.OnCrash != job.CrashRerun || !e.cutOff {
			j.fault("I4: attempt %d of run %d (%s) began %d times", a.ID, r.ID, r.JobKey, len(calls))
		}
	}
	if len(calls) == 0 {
		if a.Broadcast() {
			return // its shards are judged
		}
		if a.State == job.Succeeded || a.State == job.TimedOut {
			j.fault("I5: attempt %d of run %d (%s) is %s and never began", a.ID, r.ID, r.JobKey, a.State)
		}
		return
	}
	last := &calls[len(calls)-1]
	switch a.State {
	case job.Succeeded:
		if !last.succeeded {
			j.fault("I5: attempt %d of run %d (%s) is recorded as a success, and its handler had none", a.ID, r.ID, r.JobKey)
		}
	case job.Failed:
		if last.succeeded && !last.cutOff && !last.by.damagedSince(last.ended) {
			j.fault("I5: attempt %d of run %d (%s) is recorded as failed (%s), and its handler succeeded", a.ID, r.ID, r.JobKey, a.Message)
		}
	case job.TimedOut:
		if made.Timeout == 0 {
			j.fault("I5: attempt %d of run %d (%s) timed out, and has no limit", a.ID, r.ID, r.JobKey)
		}
	case job.Cancelled:
		if made.Overlap != job.OverlapCover && made.Key != byHand && !isStep(made.Key) {
			j.fault("I5: attempt %d of run %d (%s) was cancelled by nobody", a.ID, r.ID, r.JobKey)
		}
	case job.Skipped:
		j.fault("I5: attempt %d of run %d (%s) was discarded, and it ran", a.ID, r.ID, r.JobKey)
	case job.Lost: // its executor was away for too long, and whatever it did counts for nothing
		known := strings.Contains(a.Message, "does not know the attempt")
		if known && last.began.After(a.EndedAt) {
			j.fault("I9: attempt %d of run %d (%s) began at %s, after its executor did not know it (%s)", a.ID, r.ID, r.JobKey, last.began, a.Message)
		}
		if known && !strings.Contains(a.Message, "has no lease") && !last.by.damagedSince(last.began) {
			j.fault("I5: attempt %d of run %d (%s) is recorded as lost (%s), and its executor never loses any", a.ID, r.ID, r.JobKey, a.Message)
		}
	default:
		j.fault("I5: attempt %d of run %d (%s) ended as %s", a.ID, r.ID, r.JobKey, a.State)
	}
}
