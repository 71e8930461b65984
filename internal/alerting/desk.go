package alerting

import (
	"fmt"
	"maps"
	"time"

	words "github.com/orthd/orth/alarm"
)

// desk is what a pass works on: the rows that it read, and what becomes of them. It
// belongs to one goroutine, and knows no clock and no store.
type desk struct {
	now  time.Time
	book *book
	from Cursor
	to   Cursor

	alarms  map[place]*Alarm // that fire
	states  map[place]*State
	bunches map[string][]*Bunch // by key
	loads   map[int64]Load
	unnoted map[string]bool
	counted map[entryKey]bool // entries of this pass

	changedAlarms  marked[*Alarm]
	changedStates  marked[*State]
	changedBunches marked[*Bunch]
	entries        []words.Entry
	messages       []*Outgoing
	lookAgain      bool
}

// place is where a rule has an alarm or remembers something.
type place struct {
	rule    int64
	kind    words.Kind
	subject int64
}

func newDesk(from Cursor, b *book, now time.Time) *desk {
	return &desk{
		now: now, book: b, from: from, to: from,
		alarms: make(map[place]*Alarm), states: make(map[place]*State), bunches: make(map[string][]*Bunch),
		loads: make(map[int64]Load), unnoted: make(map[string]bool), counted: make(map[entryKey]bool),
	}
}

// lay puts rows on the desk that are not there yet, and returns those bunches of
// them that the desk has now.
func (d *desk) lay(r *Rows) []*Bunch {
	for i := range r.Alarms {
		a := &r.Alarms[i]
		if at := (place{a.RuleID, a.Kind, a.Subject()}); d.alarms[at] == nil {
			d.alarms[at] = a
		}
	}
	for i := range r.States {
		s := &r.States[i]
		if at := (place{s.RuleID, s.Kind, s.Subject}); d.states[at] == nil {
			d.states[at] = s
		}
	}
	laid := make([]*Bunch, 0, len(r.Bunches))
	for i := range r.Bunches {
		b := &r.Bunches[i]
		if known := d.bunch(b.Key, b.ChannelID); known != nil {
			b = known
		} else {
			d.bunches[b.Key] = append(d.bunches[b.Key], b)
		}
		laid = append(laid, b)
	}
	maps.Copy(d.loads, r.Loads)
	maps.Copy(d.unnoted, r.Unnoted)
	return laid
}

func (d *desk) bunch(key string, channel int64) *Bunch {
	for _, b := range d.bunches[key] {
		if b.ChannelID == channel {
			return b
		}
	}
	return nil
}

// state returns what a rule remembers of a subject. The caller changes it and marks
// it as changed.
func (d *desk) state(at place) *State {
	s := d.states[at]
	if s == nil {
		s = &State{RuleID: at.rule, Kind: at.kind, Subject: at.subject}
		d.states[at] = s
	}
	return s
}

// id returns an id never given before.
func (d *desk) id() int64 {
	d.to.LastID++
	return d.to.LastID
}

// changes returns what is to be written, and false when nothing is.
func (d *desk) changes(fence int64) (Changes, bool) {
	c := Changes{
		Lease: leaseName, Fence: fence, From: d.from, To: d.to, Alarms: d.changedAlarms.list, Entries: d.entries, States: d.changedStates.list,
		Bunches: d.changedBunches.list, Messages: d.messages, LookAgain: d.lookAgain, At: d.now,
	}
	return c, d.from != d.to || d.lookAgain || len(c.Alarms)+len(c.States)+len(c.Bunches)+len(c.Messages) > 0
}

// marked is a list in which each value stands once.
type marked[T comparable] struct {
	list []T
	has  map[T]bool
}

func (m *marked[T]) add(v T) {
	if m.has == nil {
		m.has = make(map[T]bool)
	}
	if !m.has[v] {
		m.has[v] = true
		m.list = append(m.list, v)
	}
}

// bunchKey returns what alarms of a rule about an event share, and its messages.
func bunchKey(r *words.Rule, kind words.Kind, e *words.Event) string {
	if r.ID == mailRuleID {
		return fmt.Sprintf("job:%d/mail:%x", e.JobID, fingerprint(e.Emails))
	}
	switch {
	case r.GroupBy == words.ByRule:
		return fmt.Sprintf("rule:%d", r.ID)
	case r.GroupBy == words.ByJob && !kind.OfGroup():
		return fmt.Sprintf("rule:%d/job:%d", r.ID, e.JobID)
	}
	return fmt.Sprintf("rule:%d/group:%d", r.ID, e.GroupID)
}
