package alarm

import "github.com/orthd/orth/job"

// Wants reports whether the rule may react to an event. It may return true needlessly, but
// never false for an event that the rule needs.
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

// Mailed reports whether the event is sent regardless of rules: a bad end of a job that
// names its own addresses.
func (e *Event) Mailed() bool {
	if e.Source != SourceRun || len(e.Emails) == 0 {
		return false
	}
	_, bad := BadEnd(e.State)
	return bad
}

// wants reports whether the event may raise, continue or resolve alarms of the kind.
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

// wantsEnd is wants for the end of a run. A successful run resolves the job's alarms of
// every kind, and ends streaks.
func (k Kind) wantsEnd(state job.State) bool {
	if k.OfGroup() || k == KindNotStarted {
		return false
	}
	return k != KindMissed || state == job.Succeeded
}
