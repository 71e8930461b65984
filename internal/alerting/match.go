package alerting

import (
	"fmt"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// evaluate evaluates all matching rules for an event.
func (d *evaluation) evaluate(e *words.Event) {
	d.to.EventID = max(d.to.EventID, e.ID)
	for _, r := range d.book.byNamespace[e.Namespace] {
		if r.Scope.Fits(e.JobKey, e.Group, e.Labels) {
			d.evaluateRule(r, e)
		}
	}
	if len(e.Emails) > 0 && e.Source == words.SourceRun {
		d.evaluateRule(mailRule(e.Namespace), e)
	}
}

// groupKeys returns the keys of the alarm groups that evaluate may need for an event.
func (b *ruleSet) groupKeys(e *words.Event) (keys []string) {
	for _, r := range b.byNamespace[e.Namespace] {
		if !r.Scope.Fits(e.JobKey, e.Group, e.Labels) {
			continue
		}
		for _, kind := range r.Kinds {
			if kind.OfGroup() == (e.JobID == 0) {
				keys = append(keys, groupKey(r, kind, e))
			}
		}
	}
	if len(e.Emails) > 0 {
		keys = append(keys, groupKey(mailRule(e.Namespace), words.KindFailed, e))
	}
	return keys
}

// evaluateRule evaluates an event for each kind of a rule.
func (d *evaluation) evaluateRule(r *words.Rule, e *words.Event) {
	for _, kind := range r.Kinds {
		switch e.Source {
		case words.SourceRun:
			d.evaluateEnd(r, kind, e)
		case words.SourceMissed:
			if kind == words.KindMissed {
				d.addToAlarm(r, kind, e, reasonOf(e))
			}
		case words.SourceLate, words.SourceBegun:
			if kind == words.KindNotStarted {
				d.evaluateStart(r, e)
			}
		case words.SourceWaiting:
			if kind == words.KindBacklog {
				d.evaluateBacklog(r, e)
			}
		case words.SourceDown, words.SourceUp:
			if kind == words.KindGroupDown {
				d.evaluateGroupDown(r, e)
			}
		}
	}
}

// evaluateEnd evaluates the end of a run.
func (d *evaluation) evaluateEnd(r *words.Rule, kind words.Kind, e *words.Event) {
	end, bad := words.BadEnd(e.State)
	good := e.State == job.Succeeded
	switch kind {
	case words.KindStreak:
		d.evaluateStreak(r, e, bad, good)
		return
	case words.KindRate:
		d.evaluateRate(r, e, bad, good)
		return
	case words.KindNotStarted: // a run that is over has begun, or never will
		d.evaluateStart(r, e)
		return
	case words.KindSlow:
		if reason, slow := tooSlow(r, e); slow {
			d.addToAlarm(r, kind, e, reason)
			return
		}
	case words.KindDeadLetter:
		if e.Dead {
			d.addToAlarm(r, kind, e, reasonOf(e))
			return
		}
	case words.KindBacklog, words.KindGroupDown:
		return
	case words.KindFailed, words.KindTimedOut, words.KindLost, words.KindMissed:
		if bad && end == kind {
			d.addToAlarm(r, kind, e, reasonOf(e))
			return
		}
	}
	if good {
		d.resolve(alarmKey{r.ID, kind, e.JobID}, e.At)
	}
}

func (d *evaluation) evaluateStreak(r *words.Rule, e *words.Event, bad, good bool) {
	at := alarmKey{r.ID, words.KindStreak, e.JobID}
	if bad {
		s := d.state(at)
		d.touchState(s, e)
		if s.Streak++; s.Streak >= r.Count {
			d.addToAlarm(r, at.kind, e, fmt.Sprintf("%s in a row ended badly; the last: %s", plural.Count(s.Streak, "run"), reasonOf(e)))
		}
		return
	}
	if !good {
		return
	}
	if s := d.states[at]; s != nil {
		s.Streak = 0
		d.touchState(s, e)
	}
	d.resolve(at, e.At)
}

func (d *evaluation) evaluateRate(r *words.Rule, e *words.Event, bad, good bool) {
	if !bad && !good {
		return
	}
	at := alarmKey{r.ID, words.KindRate, e.JobID}
	s := d.state(at)
	d.touchState(s, e)
	s.countRun(e.At, bad, r.Window)
	reason, high := s.failureRate(r)
	switch {
	case high && bad:
		d.addToAlarm(r, words.KindRate, e, reason+"; the last: "+reasonOf(e))
	case good && !high:
		d.resolve(at, e.At)
	}
}

// tooSlow reports whether an attempt took longer than the rule allows.
func tooSlow(r *words.Rule, e *words.Event) (reason string, slow bool) {
	took := e.Took.Round(time.Millisecond)
	if r.Longer > 0 && e.Took > r.Longer {
		return fmt.Sprintf("it took %s, longer than %s", took, r.Longer), true
	}
	if r.Factor > 0 && e.P95 > 0 && float64(e.Took) > r.Factor*float64(e.P95) {
		return fmt.Sprintf("it took %s, more than %g times the %s in which 95 %% of the job's runs end",
			took, r.Factor, e.P95.Round(time.Millisecond)), true
	}
	return "", false
}

// evaluateStart evaluates an event about the start of a run: it is late, it has started, or
// it is finished.
func (d *evaluation) evaluateStart(r *words.Rule, e *words.Event) {
	at := alarmKey{r.ID, words.KindNotStarted, e.JobID}
	if e.Source != words.SourceLate {
		if s := d.states[at]; s != nil {
			d.touchState(s, e)
			told := s.removeStarted(e.RunID)
			s.schedule(r.Within)
			if !told || s.anyReported() {
				return
			}
		} else if e.Source == words.SourceRun && e.State != job.Succeeded {
			return
		}
		d.resolve(at, e.At)
		return
	}
	s := d.state(at)
	if !s.addLate(e) {
		if !since(e).Add(r.Within).After(d.now) {
			d.addToAlarm(r, words.KindNotStarted, e, lateReason(e, since(e)))
		}
		return
	}
	d.touchState(s, e)
	kept := *e
	s.Event = &kept
	d.fireLasting(r, s)
}

// evaluateBacklog evaluates the number of waiting runs of a group.
func (d *evaluation) evaluateBacklog(r *words.Rule, e *words.Event) {
	at := alarmKey{r.ID, words.KindBacklog, -e.GroupID}
	if e.Count < r.Count {
		if s := d.states[at]; s != nil {
			s.Since = time.Time{}
			d.touchState(s, e)
		}
		d.resolve(at, e.At)
		return
	}
	s := d.state(at)
	d.touchState(s, e)
	if s.Since.IsZero() {
		s.Since = e.At
	}
	reason := fmt.Sprintf("%s of group %s %s", plural.Count(e.Count, "run"), e.Group, plural.Verb(e.Count, "waits", "wait"))
	if a := d.alarms[at]; a != nil {
		d.refresh(a, e.At, reason)
		return
	}
	if !e.At.Before(s.Since.Add(r.For)) {
		d.addToAlarm(r, words.KindBacklog, e, reason)
	}
}

// evaluateGroupDown evaluates whether a group has executors.
func (d *evaluation) evaluateGroupDown(r *words.Rule, e *words.Event) {
	at := alarmKey{r.ID, words.KindGroupDown, -e.GroupID}
	if e.Source == words.SourceUp {
		if s := d.states[at]; s != nil {
			s.Since, s.Event, s.LookAt = time.Time{}, nil, time.Time{}
			d.touchState(s, e)
		}
		d.resolve(at, e.At)
		return
	}
	s := d.state(at)
	d.touchState(s, e)
	if a := d.alarms[at]; a != nil {
		d.refresh(a, e.At, downReason(e))
		return
	}
	kept := *e
	s.Since, s.Event = since(e), &kept
	d.fireLasting(r, s)
}

// fireLasting fires for conditions that have lasted long enough, and schedules the next
// check.
func (d *evaluation) fireLasting(r *words.Rule, s *State) {
	d.changedStates.insert(s)
	switch {
	case s.Event == nil:
		s.LookAt = time.Time{}
	case s.Kind == words.KindGroupDown:
		if s.LookAt = s.Since.Add(r.For); s.LookAt.After(d.now) {
			return
		}
		s.LookAt = time.Time{}
		d.addToAlarm(r, s.Kind, s.Event, downReason(s.Event))
	case s.Kind == words.KindNotStarted:
		for i := range s.Late {
			l := &s.Late[i]
			if l.Told || l.Since.Add(r.Within).After(d.now) {
				continue
			}
			l.Told = true
			e := *s.Event
			e.ID, e.RunID, e.Since = l.Event, l.Run, l.Since
			d.addToAlarm(r, s.Kind, &e, lateReason(&e, l.Since))
		}
		s.schedule(r.Within)
	}
}

// evaluateDue evaluates a state whose time has come.
func (d *evaluation) evaluateDue(s *State) {
	if r := d.book.rules[s.RuleID]; r != nil {
		d.fireLasting(r, s)
		return
	}
	*s = State{RuleID: s.RuleID, Kind: s.Kind, Subject: s.Subject}
	d.changedStates.insert(s)
}

// touchState marks a state as changed by an event.
func (d *evaluation) touchState(s *State, e *words.Event) {
	s.SeenAt = e.At
	d.changedStates.insert(s)
}

func lateReason(e *words.Event, since time.Time) string {
	return fmt.Sprintf("run %d is due since %s, and no executor has begun it", e.RunID, since.UTC().Format(time.RFC3339))
}

func downReason(e *words.Event) string {
	return fmt.Sprintf("group %s has no executor since %s", e.Group, since(e).UTC().Format(time.RFC3339))
}

// reasonOf returns the reason of an event. The result message of the run is preferred to
// the reason why there is no further try.
func reasonOf(e *words.Event) string {
	for _, text := range []string{e.Message, e.Reason} {
		if text != "" {
			return text
		}
	}
	if e.Source == words.SourceMissed {
		return plural.Count(max(e.Count, 1), "firing") + " " + plural.Verb(max(e.Count, 1), "was", "were") + " missed"
	}
	return "it is over: " + string(e.State)
}
