package alerting

import (
	"fmt"
	"maps"
	"time"

	words "github.com/orthd/orth/alarm"
)

// evaluation is the state of a pass: the rows that it read and its changes to them. It
// belongs to one goroutine, and has no clock and no store.
type evaluation struct {
	now  time.Time
	book *ruleSet
	from Cursor
	to   Cursor

	alarms         map[alarmKey]*Alarm // firing ones
	states         map[alarmKey]*State
	groups         map[string][]*AlarmGroup // by key
	loads          map[int64]Load
	unacknowledged map[string]bool
	counted        map[entryKey]bool // entries of this pass

	changedAlarms orderedSet[*Alarm]
	changedStates orderedSet[*State]
	changedGroups orderedSet[*AlarmGroup]
	entries       []words.Entry
	messages      []*Outgoing
	reviewAll     bool
}

// alarmKey identifies an alarm or a state of a rule.
type alarmKey struct {
	rule    int64
	kind    words.Kind
	subject int64
}

func newDesk(from Cursor, b *ruleSet, now time.Time) *evaluation {
	return &evaluation{
		now: now, book: b, from: from, to: from,
		alarms: make(map[alarmKey]*Alarm), states: make(map[alarmKey]*State), groups: make(map[string][]*AlarmGroup),
		loads: make(map[int64]Load), unacknowledged: make(map[string]bool), counted: make(map[entryKey]bool),
	}
}

// addRows adds rows that the evaluation does not have yet. It returns the evaluation's
// alarm groups for those in r.
func (d *evaluation) addRows(r *Rows) []*AlarmGroup {
	for i := range r.Alarms {
		a := &r.Alarms[i]
		if at := (alarmKey{a.RuleID, a.Kind, a.Subject()}); d.alarms[at] == nil {
			d.alarms[at] = a
		}
	}
	for i := range r.States {
		s := &r.States[i]
		if at := (alarmKey{s.RuleID, s.Kind, s.Subject}); d.states[at] == nil {
			d.states[at] = s
		}
	}
	laid := make([]*AlarmGroup, 0, len(r.Bunches))
	for i := range r.Bunches {
		b := &r.Bunches[i]
		if known := d.group(b.Key, b.ChannelID); known != nil {
			b = known
		} else {
			d.groups[b.Key] = append(d.groups[b.Key], b)
		}
		laid = append(laid, b)
	}
	maps.Copy(d.loads, r.Loads)
	maps.Copy(d.unacknowledged, r.Unnoted)
	return laid
}

func (d *evaluation) group(key string, channel int64) *AlarmGroup {
	for _, b := range d.groups[key] {
		if b.ChannelID == channel {
			return b
		}
	}
	return nil
}

// state returns the state of a rule for a subject. The caller changes it and marks it as
// changed.
func (d *evaluation) state(at alarmKey) *State {
	s := d.states[at]
	if s == nil {
		s = &State{RuleID: at.rule, Kind: at.kind, Subject: at.subject}
		d.states[at] = s
	}
	return s
}

// nextID returns an unused id.
func (d *evaluation) nextID() int64 {
	d.to.LastID++
	return d.to.LastID
}

// changes returns the changes of the pass, and false when there are none.
func (d *evaluation) changes(fence int64) (Changes, bool) {
	c := Changes{
		Lease: leaseName, Fence: fence, From: d.from, To: d.to, Alarms: d.changedAlarms.list, Entries: d.entries, States: d.changedStates.list,
		Bunches: d.changedGroups.list, Messages: d.messages, LookAgain: d.reviewAll, At: d.now,
	}
	return c, d.from != d.to || d.reviewAll || len(c.Alarms)+len(c.States)+len(c.Bunches)+len(c.Messages) > 0
}

// orderedSet is a set that keeps the order of insertion.
type orderedSet[T comparable] struct {
	list []T
	has  map[T]bool
}

func (m *orderedSet[T]) insert(v T) {
	if m.has == nil {
		m.has = make(map[T]bool)
	}
	if !m.has[v] {
		m.has[v] = true
		m.list = append(m.list, v)
	}
}

// groupKey returns the key that alarms with common messages share.
func groupKey(r *words.Rule, kind words.Kind, e *words.Event) string {
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
