package sqlstore

import (
	"context"
	"math"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/job"
)

const (
	alarmFilter = `a.id < ? AND (? = '' OR a.namespace = ?) AND (? = '' OR a.rule_key = ?) AND (? = '' OR a.kind = ?)
		AND (? = '' OR a.group_key = ?) AND (? = '' OR a.severity = ?) AND a.last_at >= ? AND a.first_at < ? AND TRUE IN (%s) ORDER BY a.id DESC LIMIT ?`
	// By alarms' primary key, backwards. Here and below, rows that the filter leaves
	// out are passed over.
	listAlarms = `SELECT ` + alarmColumns + ` FROM alarms a WHERE ` + alarmFilter
	// By alarms_state, backwards.
	listAlarmsIn = `SELECT ` + alarmColumns + ` FROM alarms a WHERE a.state = ? AND ` + alarmFilter
	// By alarms_job, backwards.
	listJobAlarms = `SELECT ` + alarmColumns + ` FROM alarms a WHERE a.job_id = ? AND (? = '' OR a.state = ?) AND ` + alarmFilter
	// By alarms' primary key.
	readAlarm = `SELECT ` + alarmColumns + ` FROM alarms a WHERE a.id = ?`
	// By alarms' primary key. The first one to take note is kept.
	noteAlarm = `UPDATE alarms SET noted_at = ?, noted_by = ? WHERE id = ? AND noted_at IS NULL`
	// By alarm_entries_alarm, in its order, and the primary key.
	listAlarmEntries = `SELECT e.alarm_id, e.event_id, e.at, e.run_id, e.job_key, e.state, e.reason FROM alarm_entries e
		WHERE e.alarm_id = ? AND e.event_id > ? ORDER BY e.event_id LIMIT ?`

	messageFilter = `n.id < ? AND (? = '' OR n.namespace = ?) AND (? = '' OR n.rule_key = ?) AND (? = '' OR n.channel_key = ?)
		AND n.created_at >= ? AND n.created_at < ? AND TRUE IN (%s) ORDER BY n.id DESC LIMIT ?`
	// By alarm_notifications' primary key, backwards.
	listMessages = `SELECT ` + messageColumns + ` FROM alarm_notifications n WHERE ` + messageFilter
	// By alarm_notifications_status, backwards.
	listMessagesIn = `SELECT ` + messageColumns + ` FROM alarm_notifications n WHERE n.status = ? AND ` + messageFilter

	// By alarms_ended.
	listOldAlarms = `SELECT id FROM alarms WHERE ended_at < ? LIMIT ?`
	// By alarms' primary key.
	removeAlarm = `DELETE FROM alarms WHERE id = ?`
	// By alarm_entries' primary key, in its order: the oldest ones.
	listOldEntries = `SELECT event_id, at FROM alarm_entries WHERE event_id > ? ORDER BY event_id LIMIT ?`
	// By alarm_entries' primary key.
	removeEntries = `DELETE FROM alarm_entries WHERE event_id <= ? AND at < ?`
	// By alarm_notifications_ended.
	listOldMessages = `SELECT id FROM alarm_notifications WHERE ended_at < ? LIMIT ?`
	// By alarm_notifications' primary key.
	removeMessage = `DELETE FROM alarm_notifications WHERE id = ?`
	// By alarm_states_seen.
	listOldStates = `SELECT s.body, s.subject, s.rule_id, s.kind, s.look_at, s.seen_at FROM alarm_states s WHERE s.seen_at < ? LIMIT ?`
)

// Alarms returns the alarms of the filter, the newest first, at most 1,000. Alarms
// that it leaves out are read past; ctx ends it.
func (s *Store) Alarms(ctx context.Context, f alerting.AlarmFilter) ([]words.Alarm, error) {
	before, until := bounds(f.Before, f.Until)
	kind, state, severity := string(f.Kind), string(f.State), string(f.Severity)
	args := []any{
		before, f.Namespace, f.Namespace, f.Rule, f.Rule, kind, kind, f.Group, f.Group, severity, severity, job.Millis(f.Since), until,
	}
	query := listAlarms
	switch {
	case f.JobID != 0:
		query, args = listJobAlarms, append([]any{f.JobID, state, state}, args...)
	case f.State != "":
		query, args = listAlarmsIn, append([]any{state}, args...)
	}
	return listWithin(ctx, s.reader, alarmFields, query, narrowed(f.Sight, f.Namespace, f.Group), "a.namespace", "a.group_key", args, f.Limit)
}

// bounds returns the id and the instant below which rows are listed.
func bounds(before int64, until time.Time) (id, millis int64) {
	id, millis = before, math.MaxInt64
	if id <= 0 {
		id = math.MaxInt64
	}
	if !until.IsZero() {
		millis = job.Millis(until)
	}
	return id, millis
}

// Alarm returns an alarm, or NotFound.
func (s *Store) Alarm(ctx context.Context, id int64) (words.Alarm, error) {
	a, found, err := first(ctx, s.reader, alarmFields, readAlarm, id)
	if err == nil && !found {
		err = noAlarm(id)
	}
	return a, err
}

func noAlarm(id int64) error { return job.Errorf(job.NotFound, "alarm %d does not exist", id) }

// NoteAlarm acknowledges an alarm: it no longer escalates. The first acknowledgement is
// kept. Kinds: NotFound.
func (s *Store) NoteAlarm(ctx context.Context, id int64, by string, at time.Time) error {
	return s.writer.update(ctx, func(t *tx) error {
		done, err := t.one(noteAlarm, job.Millis(at), clean(by), id)
		if err != nil || done {
			return err
		}
		var a words.Alarm
		found, err := t.read(readAlarm, []any{id}, alarmFields(&a))
		if err == nil && !found {
			err = noAlarm(id)
		}
		return err
	})
}

// AlarmEntries returns up to limit events of an alarm with ids above after, the oldest
// first.
func (s *Store) AlarmEntries(ctx context.Context, id, after int64, limit int) ([]words.Entry, error) {
	return list(ctx, s.reader, entryFields, listAlarmEntries, id, after, page(limit))
}

// Notifications returns the messages of the filter, the newest first, at most 1,000.
// Messages that it leaves out are read past; ctx ends it.
func (s *Store) Notifications(ctx context.Context, f alerting.NotificationFilter) ([]words.Notification, error) {
	before, until := bounds(f.Before, f.Until)
	args := []any{
		before, f.Namespace, f.Namespace, f.Rule, f.Rule, f.Channel, f.Channel, job.Millis(f.Since), until,
	}
	query := listMessages
	if f.Status != "" {
		query, args = listMessagesIn, append([]any{string(f.Status)}, args...)
	}
	return listWithin(ctx, s.reader, messageFields, query, narrowed(f.Sight, f.Namespace, ""), "n.namespace", "''", args, f.Limit)
}

// PruneAlarms removes up to limit alarms, entries and messages each that ended before an
// instant, and what rules remember since before then, and returns how many in all.
func (s *Store) PruneAlarms(ctx context.Context, before time.Time, limit int) (int, error) {
	ids := func(id *int64) []any { return []any{(*integer)(id)} }
	at, most := job.Millis(before), page(limit)
	old, err := list(ctx, s.reader, ids, listOldAlarms, at, most)
	if err != nil {
		return 0, err
	}
	sent, err := list(ctx, s.reader, ids, listOldMessages, at, most)
	if err != nil {
		return 0, err
	}
	states, err := list(ctx, s.reader, alarmStateFields, listOldStates, at, most)
	if err != nil {
		return 0, err
	}
	last, entries, err := s.oldEntries(ctx, before, most)
	if err != nil || !entries && len(old)+len(sent)+len(states) == 0 {
		return 0, err
	}
	n := 0
	err = s.writer.update(ctx, func(t *tx) error {
		n = 0
		remove := func(query string, args ...any) error {
			gone, err := t.exec(query, args...)
			n += int(gone)
			return err
		}
		for _, id := range old {
			if err := remove(removeAlarm, id); err != nil {
				return err
			}
		}
		for _, id := range sent {
			if err := remove(removeMessage, id); err != nil {
				return err
			}
		}
		for i := range states {
			if err := remove(removeAlarmState, states[i].Subject, states[i].RuleID, string(states[i].Kind)); err != nil {
				return err
			}
		}
		if !entries {
			return nil
		}
		return remove(removeEntries, last, at)
	})
	return n, err
}

// oldEntries returns the last of up to limit entries from before an instant, and false
// when there is none.
func (s *Store) oldEntries(ctx context.Context, before time.Time, limit int) (last int64, found bool, err error) {
	type row struct {
		id int64
		at time.Time
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*instant)(&r.at)} }
	rows, err := list(ctx, s.reader, fields, listOldEntries, math.MinInt64, limit)
	for _, r := range rows {
		if r.at.Before(before) {
			last, found = r.id, true
		}
	}
	return last, found, err
}

func alarmFields(a *words.Alarm) []any {
	return []any{
		(*integer)(&a.ID), (*text)(&a.Namespace), (*integer)(&a.RuleID), (*text)(&a.RuleKey), (*text)(&a.Kind), (*text)(&a.Severity),
		(*integer)(&a.GroupID), (*text)(&a.Group), (*integer)(&a.JobID), (*text)(&a.JobKey), (*text)(&a.State), (*text)(&a.Reason),
		(*instant)(&a.FirstAt), (*instant)(&a.LastAt), (*instant)(&a.EndedAt), (*count)(&a.Count), (*integer)(&a.LastRunID),
		(*instant)(&a.NotedAt), (*text)(&a.NotedBy), (*integer)(&a.SilencedBy),
	}
}

func entryFields(e *words.Entry) []any {
	return []any{
		(*integer)(&e.AlarmID), (*integer)(&e.EventID), (*instant)(&e.At), (*integer)(&e.RunID), (*text)(&e.JobKey), (*text)(&e.State), (*text)(&e.Reason),
	}
}
