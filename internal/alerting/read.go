package alerting

import (
	"context"
	"fmt"
	"time"

	words "github.com/orthd/orth/alarm"
)

// maxDue bounds the rows of each kind that a pass looks at because their time has come.
const maxDue = 1000

// work is what a pass has to deal with.
type work struct {
	desk    *desk
	events  []words.Event
	alarms  []place  // that are due
	states  []place  // that are due
	bunches []*Bunch // that are due
	next    time.Time
}

// wait returns how long nothing will be to do.
func (w *work) wait(now time.Time, poll time.Duration) time.Duration {
	if w.next.IsZero() {
		return poll
	}
	return min(max(w.next.Sub(now), 0), poll)
}

// read reads the events that come next and what is due, and then all rows that may
// have to do with them.
func (e *Engine) read(ctx context.Context, now time.Time) (*work, error) {
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
	due, err := e.config.Store.ReadAlarms(ctx, Ask{Due: now, Limit: maxDue})
	if err != nil {
		return nil, fmt.Errorf("read what is due: %w", err)
	}
	w := &work{desk: newDesk(from, newBook(&defined, now), now), events: events, next: due.Next}
	w.bunches = w.desk.lay(&due)
	for i := range due.Alarms {
		a := &due.Alarms[i]
		w.alarms = append(w.alarms, place{a.RuleID, a.Kind, a.Subject()})
	}
	for i := range due.States {
		s := &due.States[i]
		w.states = append(w.states, place{s.RuleID, s.Kind, s.Subject})
	}
	if err := w.around(ctx, e.config.Store, now); err != nil {
		return nil, err
	}
	return w, nil
}

// around reads the rows around the events and what is due.
func (w *work) around(ctx context.Context, store Desk, now time.Time) error {
	d := w.desk
	var subjects marked[int64]
	var keys, unnoted marked[string]
	var channels marked[int64]
	for i := range w.events {
		e := &w.events[i]
		for _, subject := range []int64{e.JobID, -e.GroupID} {
			if subject != 0 && (subject > 0) == (e.JobID != 0) {
				subjects.add(subject)
			}
		}
		for _, key := range d.book.bunchKeys(e) {
			keys.add(key)
		}
	}
	for _, at := range w.states {
		subjects.add(at.subject)
		if r, s := d.book.rules[at.rule], d.states[at]; r != nil && s.Event != nil {
			keys.add(bunchKey(r, s.Kind, s.Event))
		}
	}
	if len(subjects.list) > 0 {
		rows, err := store.ReadAlarms(ctx, Ask{Subjects: subjects.list})
		if err != nil {
			return fmt.Errorf("read alarms: %w", err)
		}
		d.lay(&rows)
	}
	for _, a := range d.alarms {
		keys.add(a.Key)
	}
	for _, b := range w.bunches {
		keys.add(b.Key)
		channels.add(b.ChannelID)
		if r := d.book.rule(b.RuleID, b.Namespace); r != nil {
			if at, escalates := b.escalates(r); escalates && !at.After(now) {
				unnoted.add(b.Key)
			}
		}
	}
	if len(keys.list) == 0 {
		return nil
	}
	rows, err := store.ReadAlarms(ctx, Ask{Keys: keys.list, Channels: channels.list, Since: now.Add(-minute), Unnoted: unnoted.list})
	if err != nil {
		return fmt.Errorf("read bunches: %w", err)
	}
	d.lay(&rows)
	return nil
}
