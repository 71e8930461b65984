package app

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/job"
)

// needs reports which events the alert rules use.
type needs struct{ book *alarmconfig.Book }

// Wants implements completer.Watch. Most successes only end alarms: they are written
// down while one fires. Those that rules count, or compare, always are.
func (n needs) Wants(e *alarm.Event) completer.Want {
	switch {
	case e.State != job.Succeeded:
		if n.book.Wants(e) {
			return completer.Always
		}
	case n.counts(e):
		return completer.Always
	case len(e.Emails) > 0 || n.book.Wants(e):
		return completer.WhileFiring
	}
	return completer.Never
}

// counts reports whether a rule needs to know of a good run although nothing fires.
func (n needs) counts(e *alarm.Event) bool {
	return n.some(func(r *alarm.Rule) bool {
		return r.Namespace == e.Namespace && r.Scope.Fits(e.JobKey, e.Group, e.Labels) &&
			(has(r, alarm.KindStreak) || has(r, alarm.KindRate) || has(r, alarm.KindSlow) && (r.Factor > 0 || e.Took > r.Longer))
	})
}

// wanted reports whether an event about a run that never was is to be written down.
func (n needs) wanted(e *alarm.Event) bool { return n.book.Wants(e) }

// timed reports whether a rule compares an attempt with those before it.
func (n needs) timed(e *alarm.Event) bool {
	return n.some(func(r *alarm.Rule) bool {
		return r.Factor > 0 && r.Namespace == e.Namespace && has(r, alarm.KindSlow) && r.Scope.Fits(e.JobKey, e.Group, e.Labels)
	})
}

// Within implements watch.Rules.
func (n needs) Within(e *alarm.Event) time.Duration {
	var least time.Duration
	n.of(e.Namespace, alarm.KindNotStarted, func(r *alarm.Rule) {
		scope := r.Scope
		if e.JobID == 0 { // whichever job of the group
			scope = alarm.Scope{Groups: scope.Groups}
		}
		if scope.Fits(e.JobKey, e.Group, e.Labels) && (least == 0 || r.Within < least) {
			least = r.Within
		}
	})
	return least
}

// Backlog implements watch.Rules.
func (n needs) Backlog(e *alarm.Event) (least, most int) {
	n.of(e.Namespace, alarm.KindBacklog, func(r *alarm.Rule) {
		if !r.Scope.Fits("", e.Group, nil) {
			return
		}
		if most = max(most, r.Count); least == 0 || r.Count < least {
			least = r.Count
		}
	})
	return least, most
}

// Down implements watch.Rules.
func (n needs) Down(e *alarm.Event) bool {
	found := false
	n.of(e.Namespace, alarm.KindGroupDown, func(r *alarm.Rule) { found = found || r.Scope.Fits("", e.Group, nil) })
	return found
}

// of calls visit for the enabled rules of a namespace that have a kind: none while
// the rules cannot be read.
func (n needs) of(namespace string, kind alarm.Kind, visit func(r *alarm.Rule)) {
	rules, _ := n.rules()
	for i := range rules {
		if r := &rules[i]; r.Enabled && r.Namespace == namespace && has(r, kind) {
			visit(r)
		}
	}
}

// some reports whether an enabled rule is as asked, and true while that is not known.
func (n needs) some(as func(r *alarm.Rule) bool) bool {
	rules, known := n.rules()
	for i := range rules {
		if rules[i].Enabled && as(&rules[i]) {
			return true
		}
	}
	return !known
}

// rules returns all rules, from memory when they were read lately.
func (n needs) rules() (rules []alarm.Rule, known bool) {
	all, err := n.book.Definitions(context.Background()) // it ends by itself
	return all.Rules, err == nil
}

func has(r *alarm.Rule, kind alarm.Kind) bool { return slices.Contains(r.Kinds, kind) }
