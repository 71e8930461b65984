package sqlstore

import (
	"context"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/job"
)

const (
	messageColumns = `n.id, n.namespace, n.rule_id, n.rule_key, n.channel_id, n.channel_key, n.recipients, n.bunch_key, n.status, n.state,
		n.alarms, n.events, n.tries, n.title, n.error, n.due_at, n.created_at, n.ended_at`

	insertAlarmMessage = `INSERT INTO alarm_notifications (id, message_key, namespace, rule_id, rule_key, channel_id, channel_key, recipients,
		bunch_key, status, state, alarms, events, tries, title, error, due_at, created_at, ended_at, line, dedup, fence, body, open_on, look_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`
	// By alarm_notifications_look, in its order, and alarm_notifications_open; those
	// of busy channels are passed over.
	listDueMessages = `SELECT n.body, ` + messageColumns + `, n.message_key, n.line, n.dedup, n.fence, n.look_at
		FROM alarm_notifications n WHERE n.look_at <= ? AND n.open_on NOT IN (%s)
		AND NOT EXISTS (SELECT 1 FROM alarm_notifications e WHERE e.open_on = n.open_on AND e.line = n.line AND e.id < n.id)
		ORDER BY n.look_at LIMIT ?`
	// By alarm_notifications' primary key.
	claimMessage = `UPDATE alarm_notifications SET look_at = ?, fence = fence + 1 WHERE id = ? AND fence = ? AND look_at = ?`
	// By alarm_notifications' primary key.
	recordMessage = `UPDATE alarm_notifications SET status = ?, tries = ?, title = ?, error = ?, due_at = ?, ended_at = ?, open_on = ?, look_at = ?
		WHERE id = ? AND fence = ? AND status = 'pending'`
	// By alarm_cursor's primary key.
	nextAlarmID = `UPDATE alarm_cursor SET last_id = last_id + 1 WHERE id = 1`
	// By alarm_cursor's primary key.
	readAlarmID = `SELECT last_id FROM alarm_cursor WHERE id = 1`
	// By alarm_notifications' primary key.
	retryMessage = `UPDATE alarm_notifications SET status = 'pending', due_at = ?, look_at = ?, open_on = channel_id, ended_at = NULL
		WHERE id = ? AND status = 'failed' AND channel_id > 0`
	// By alarm_notifications' primary key.
	readMessage = `SELECT ` + messageColumns + ` FROM alarm_notifications n WHERE n.id = ?`
)

// insertMessage writes a new message, by an INSERT of its columns.
func (t *tx) insertMessage(insert string, m *alerting.Outgoing) error {
	body, err := encode(m.Message)
	if err != nil {
		return err
	}
	var openOn any
	if m.Status == words.Pending {
		openOn = m.ChannelID
	}
	return t.do(insert, m.ID, m.Key, m.Namespace, m.RuleID, m.RuleKey, m.ChannelID, m.Channel, clean(m.To), m.GroupKey,
		string(m.Status), string(m.State), m.Alarms, m.Events, m.Tries, clean(m.Title), clean(m.Error), job.Millis(m.DueAt),
		job.Millis(m.CreatedAt), nullable(m.EndedAt), m.Line, m.Dedup, body, openOn, nullable(m.LookAt))
}

// DueMessages returns up to limit messages that can be claimed by now, the earliest first:
// of each line the oldest, and none of the busy channels, of which at most 50 are
// considered.
func (s *Store) DueMessages(ctx context.Context, now time.Time, busy []int64, limit int) ([]alerting.Outgoing, error) {
	if len(busy) == 0 {
		busy = []int64{0} // no channel has it
	}
	channels := sized(busy[:min(len(busy), maxIDs)])
	args := append(append([]any{job.Millis(now)}, channels...), page(limit))
	return list(ctx, s.reader, outgoingFields, in(listDueMessages, len(channels)), args...)
}

// ClaimMessage hides a message until an instant, and reports whether this caller has
// claimed it: no other caller did since it was read. Its Fence is then one higher.
func (s *Store) ClaimMessage(ctx context.Context, m *alerting.Outgoing, until time.Time) (bool, error) {
	claimed := false
	err := s.writer.update(ctx, func(t *tx) (err error) {
		claimed, err = t.one(claimMessage, job.Millis(until), m.ID, m.Fence, job.Millis(m.LookAt))
		return err
	})
	if err != nil || !claimed {
		return false, err
	}
	m.Fence++
	return true, nil
}

// RecordMessage records the result of a try, and with it a message that reports its end, if
// there is one, which gets its id here. An end that was reported before the message was sent
// again by hand is not reported twice. It does nothing when another caller has claimed the
// message.
func (s *Store) RecordMessage(ctx context.Context, m, instead *alerting.Outgoing) error {
	return s.writer.update(ctx, func(t *tx) error {
		var openOn any
		if m.Status == words.Pending {
			openOn = m.ChannelID
		}
		done, err := t.one(recordMessage, string(m.Status), m.Tries, clean(m.Title), clean(m.Error), job.Millis(m.DueAt), nullable(m.EndedAt),
			openOn, nullable(m.LookAt), m.ID, m.Fence)
		if err != nil || !done || instead == nil {
			return err
		}
		if err := t.do(nextAlarmID); err != nil {
			return err
		}
		if _, err := t.read(readAlarmID, nil, []any{&instead.ID}); err != nil {
			return err
		}
		return t.insertMessage(t.dialect.KeepFirst(insertAlarmMessage, "message_key"), instead)
	})
}

// RetryNotification makes a message that was given up pending again, and returns it.
// Kinds: NotFound, Conflict when it was not given up, or has no channel.
func (s *Store) RetryNotification(ctx context.Context, id int64, at time.Time) (words.Notification, error) {
	var n words.Notification
	err := s.writer.update(ctx, func(t *tx) error {
		done, err := t.one(retryMessage, job.Millis(at), job.Millis(at), id)
		if err != nil {
			return err
		}
		found, err := t.read(readMessage, []any{id}, messageFields(&n))
		switch {
		case err != nil || done:
			return err
		case !found:
			return job.Errorf(job.NotFound, "notification %d does not exist", id)
		case n.Status == words.GivenUp:
			return job.Errorf(job.Conflict, "notification %d has no channel to go to: %s", id, n.Error)
		}
		return job.Errorf(job.Conflict, "notification %d is %s: only one that failed is sent again", id, n.Status)
	})
	if err != nil {
		return words.Notification{}, err
	}
	return n, nil
}

func messageFields(n *words.Notification) []any {
	return []any{
		(*integer)(&n.ID), (*text)(&n.Namespace), (*integer)(&n.RuleID), (*text)(&n.RuleKey), (*integer)(&n.ChannelID), (*text)(&n.Channel),
		(*text)(&n.To), (*text)(&n.GroupKey), (*text)(&n.Status), (*text)(&n.State), (*count)(&n.Alarms), (*count)(&n.Events), (*count)(&n.Tries),
		(*text)(&n.Title), (*text)(&n.Error), (*instant)(&n.DueAt), (*instant)(&n.CreatedAt), (*instant)(&n.EndedAt),
	}
}

func outgoingFields(m *alerting.Outgoing) []any {
	fields := append([]any{document[words.Message]{&m.Message}}, messageFields(&m.Notification)...)
	return append(fields, (*text)(&m.Key), (*text)(&m.Line), (*text)(&m.Dedup), (*integer)(&m.Fence), (*instant)(&m.LookAt))
}
