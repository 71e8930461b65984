package sqlstore

import (
	"context"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/job"
)

const (
	// By alarm_cursor's primary key.
	moveAlarmCursor = `UPDATE alarm_cursor SET event_id = ?, last_id = ?, definitions = ?
		WHERE id = 1 AND event_id = ? AND last_id = ? AND definitions = ?`
	// By alarms_look.
	lookAtAlarms = `UPDATE alarms SET look_at = ? WHERE look_at > ?`

	insertAlarm = `INSERT INTO alarms (namespace, rule_id, rule_key, kind, severity, group_id, group_key, job_id, job_key, labels,
		recipients, state, reason, first_at, last_at, ended_at, events, run_id, silenced_by, bunch_key, told, held, firing_on, look_at,
		noted_by, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?)`
	// By alarms' primary key. The engine must not change who acknowledged an alarm.
	updateAlarm = `UPDATE alarms SET namespace = ?, rule_id = ?, rule_key = ?, kind = ?, severity = ?, group_id = ?, group_key = ?,
		job_id = ?, job_key = ?, labels = ?, recipients = ?, state = ?, reason = ?, first_at = ?, last_at = ?, ended_at = ?, events = ?,
		run_id = ?, silenced_by = ?, bunch_key = ?, told = ?, held = ?, firing_on = ?, look_at = ? WHERE id = ?`
	insertAlarmEntry = `INSERT INTO alarm_entries (event_id, alarm_id, at, run_id, job_key, state, reason) VALUES (?, ?, ?, ?, ?, ?, ?)`

	// By alarm_states' primary key.
	updateAlarmState = `UPDATE alarm_states SET look_at = ?, seen_at = ?, body = ? WHERE subject = ? AND rule_id = ? AND kind = ?`
	insertAlarmState = `INSERT INTO alarm_states (look_at, seen_at, body, subject, rule_id, kind) VALUES (?, ?, ?, ?, ?, ?)`
	// By alarm_states' primary key.
	removeAlarmState = `DELETE FROM alarm_states WHERE subject = ? AND rule_id = ? AND kind = ?`

	// By alarm_bunches' primary key.
	updateBunch = `UPDATE alarm_bunches SET bunch_key = ?, channel_id = ?, look_at = ?, body = ? WHERE id = ?`
	insertBunch = `INSERT INTO alarm_bunches (bunch_key, channel_id, look_at, body, id) VALUES (?, ?, ?, ?, ?)`
	// By alarm_bunches' primary key.
	removeBunch = `DELETE FROM alarm_bunches WHERE id = ?`
)

// CommitAlarms writes the decisions of a pass, all or nothing. Kinds: Conflict when another
// server holds the lease, or the cursor is not where it was read.
func (s *Store) CommitAlarms(ctx context.Context, c alerting.Changes) error {
	return s.writer.update(ctx, func(t *tx) error {
		if err := t.fenced(c.Lease, c.Fence); err != nil {
			return err
		}
		moved, err := t.one(moveAlarmCursor, c.To.EventID, c.To.LastID, c.To.Definitions, c.From.EventID, c.From.LastID, c.From.Definitions)
		if err == nil && !moved {
			err = job.Errorf(job.Conflict, "the cursor of alarms has moved since it was read")
		}
		if err == nil && c.LookAgain {
			err = t.do(lookAtAlarms, job.Millis(c.At), job.Millis(c.At))
		}
		if err == nil {
			err = t.saveAlarms(&c)
		}
		if err == nil {
			err = t.saveAlarmStates(c.States)
		}
		if err == nil {
			err = t.saveBunches(c.Bunches)
		}
		for _, m := range c.Messages {
			if err == nil {
				err = t.insertMessage(insertAlarmMessage, m)
			}
		}
		return err
	})
}

func (t *tx) saveAlarms(c *alerting.Changes) error {
	for _, over := range []bool{true, false} { // one that is over makes room for the next
		for _, a := range c.Alarms {
			if (a.State == words.Resolved) != over {
				continue
			}
			fresh := a.ID > c.From.LastID
			if err := t.saveAlarm(a, fresh); err != nil {
				return err
			}
			t.sounded(&a.Alarm, fresh)
		}
	}
	once := t.dialect.KeepFirst(insertAlarmEntry, "event_id", "alarm_id")
	for i := range c.Entries {
		e := &c.Entries[i]
		err := t.do(once, e.EventID, e.AlarmID, job.Millis(e.At), e.RunID, clean(e.JobKey), string(e.State), clean(e.Reason))
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) saveAlarm(a *alerting.Alarm, fresh bool) error {
	labels, err := encode(a.Labels)
	if err != nil {
		return err
	}
	to, err := encode(a.To)
	if err != nil {
		return err
	}
	var firingOn any
	if a.State == words.Firing {
		firingOn = a.Subject()
	}
	query := updateAlarm
	if fresh {
		query = insertAlarm
	}
	return t.do(query, a.Namespace, a.RuleID, a.RuleKey, string(a.Kind), string(a.Severity), a.GroupID, a.Group, a.JobID, a.JobKey,
		labels, to, string(a.State), clean(a.Reason), job.Millis(a.FirstAt), job.Millis(a.LastAt), nullable(a.EndedAt), a.Count, a.LastRunID,
		a.SilencedBy, a.Key, bit(a.Told), a.Held, firingOn, nullable(a.LookAt), a.ID)
}

func (t *tx) saveAlarmStates(states []*alerting.State) error {
	for _, s := range states {
		at := []any{s.Subject, s.RuleID, string(s.Kind)}
		if s.Empty() {
			if err := t.do(removeAlarmState, at...); err != nil {
				return err
			}
			continue
		}
		body, err := encode(s)
		if err != nil {
			return err
		}
		args := append([]any{nullable(s.LookAt), job.Millis(s.SeenAt), body}, at...)
		if err := t.upsert(updateAlarmState, insertAlarmState, args); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) saveBunches(bunches []*alerting.AlarmGroup) error {
	for _, b := range bunches {
		if b.Gone {
			if err := t.do(removeBunch, b.ID); err != nil {
				return err
			}
			continue
		}
		body, err := encode(b)
		if err != nil {
			return err
		}
		if err := t.upsert(updateBunch, insertBunch, []any{b.Key, b.ChannelID, nullable(b.LookAt), body, b.ID}); err != nil {
			return err
		}
	}
	return nil
}

// upsert updates a row, or inserts it when there is none.
func (t *tx) upsert(update, insert string, args []any) error {
	there, err := t.one(update, args...)
	if err == nil && !there {
		err = t.do(insert, args...)
	}
	return err
}
