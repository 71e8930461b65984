package alerting

import (
	"context"
	"fmt"
	"time"

	words "github.com/orthd/orth/alarm"
)

// maxDue bounds the due rows of each kind that a pass reads.
const maxDue = 1000

// work is the input of a pass.
type work struct {
	eval   *evaluation
	events []words.Event
	alarms []alarmKey    // due ones
	states []alarmKey    // due ones
	groups []*AlarmGroup // due ones
	next   time.Time
}

// waitTime returns the time until the next work.
func (w *work) waitTime(now time.Time, poll time.Duration) time.Duration {
	if w.next.IsZero() {
		return poll
	}
	return min(max(w.next.Sub(now), 0), poll)
}

// readWork reads the next events and the due rows, and then all related rows.
func (e *Engine) readWork(ctx context.Context, now time.Time) (*work, error) {
	from, err := e.config.Store.AlarmCursor(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the cursor: %w", err)
	}
	events, err := e.config.Store.Events(ctx, from.EventID, e.config.Batch)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	defined, err := e.config.Definitions.Definitions(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the definitions: %w", err)
	}
	due, err := e.config.Store.ReadAlarms(ctx, Query{Due: now, Limit: maxDue})
	if err != nil {
		return nil, fmt.Errorf("read due alarms: %w", err)
	}
	w := &work{eval: newDesk(from, newRuleSet(&defined, now), now), events: events, next: due.Next}
	w.groups = w.eval.addRows(&due)
	for i := range due.Alarms {
		a := &due.Alarms[i]
		w.alarms = append(w.alarms, alarmKey{a.RuleID, a.Kind, a.Subject()})
	}
	for i := range due.States {
		s := &due.States[i]
		w.states = append(w.states, alarmKey{s.RuleID, s.Kind, s.Subject})
	}
	if err := w.readRelated(ctx, e.config.Store, now); err != nil {
		return nil, err
	}
	return w, nil
}

// readRelated reads the rows that the events and the due rows may change.
func (w *work) readRelated(ctx context.Context, store DecisionStore, now time.Time) error {
	d := w.eval
	var subjects orderedSet[int64]
	var keys, unnoted orderedSet[string]
	var channels orderedSet[int64]
	for i := range w.events {
		e := &w.events[i]
		for _, subject := range []int64{e.JobID, -e.GroupID} {
			if subject != 0 && (subject > 0) == (e.JobID != 0) {
				subjects.insert(subject)
			}
		}
		for _, key := range d.book.groupKeys(e) {
			keys.insert(key)
		}
	}
	for _, at := range w.states {
		subjects.insert(at.subject)
		if r, s := d.book.rules[at.rule], d.states[at]; r != nil && s.Event != nil {
			keys.insert(groupKey(r, s.Kind, s.Event))
		}
	}
	if len(subjects.list) > 0 {
		rows, err := store.ReadAlarms(ctx, Query{Subjects: subjects.list})
		if err != nil {
			return fmt.Errorf("read alarms: %w", err)
		}
		d.addRows(&rows)
	}
	for _, a := range d.alarms {
		keys.insert(a.Key)
	}
	for _, b := range w.groups {
		keys.insert(b.Key)
		channels.insert(b.ChannelID)
		if r := d.book.ruleFor(b.RuleID, b.Namespace); r != nil {
			if at, escalates := b.nextEscalation(r); escalates && !at.After(now) {
				unnoted.insert(b.Key)
			}
		}
	}
	if len(keys.list) == 0 {
		return nil
	}
	rows, err := store.ReadAlarms(ctx, Query{Keys: keys.list, Channels: channels.list, Since: now.Add(-minute), Unnoted: unnoted.list})
	if err != nil {
		return fmt.Errorf("read alarm groups: %w", err)
	}
	d.addRows(&rows)
	return nil
}
