package alarm

import "github.com/orthd/orth/job"

// Wants reports whether the rule may do something with an event. It may say yes
// too often; a no is certain.
func (r *Rule) Wants(e *Event) bool {
	if !r.Enabled || r.Namespace != e.Namespace {
		return false
	}
	for _, kind := range r.Kinds {
		if kind.wants(e) {
			return r.Scope.Fits(e.JobKey, e.Group, e.Labels)
		}
	}
	return false
}

// Mailed reports whether the event is wanted whatever the rules say: it is a bad
// end of a job that names addresses itself.
func (e *Event) Mailed() bool {
	if e.Source != SourceRun || len(e.Emails) == 0 {
		return false
	}
	_, bad := BadEnd(e.State)
	return bad
}

// wants reports whether alarms of the kind may begin, go on or end with the event.
func (k Kind) wants(e *Event) bool {
	switch e.Source {
	case SourceRun:
		return k.wantsEnd(e.State)
	case SourceMissed:
		return k == KindMissed
	case SourceLate, SourceBegun:
		return k == KindNotStarted
	case SourceWaiting:
		return k == KindBacklog
	case SourceDown, SourceUp:
		return k == KindGroupDown
	}
	return true
}

// wantsEnd is wants for the end of a run. A good one ends the alarms of its job,
// of whatever kind, and breaks streaks.
func (k Kind) wantsEnd(state job.State) bool {
	if k.OfGroup() || k == KindNotStarted {
		return false
	}
	return k != KindMissed || state == job.Succeeded
}
