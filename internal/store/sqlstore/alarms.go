package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/job"
)

const (
	// By alarm_cursor's primary key.
	readAlarmCursor = `SELECT event_id, last_id, definitions, tag FROM alarm_cursor WHERE id = 1`

	alarmColumns = `a.id, a.namespace, a.rule_id, a.rule_key, a.kind, a.severity, a.group_id, a.group_key, a.job_id, a.job_key,
		a.state, a.reason, a.first_at, a.last_at, a.ended_at, a.events, a.run_id, a.noted_at, a.noted_by, a.silenced_by`
	deskColumns = alarmColumns + `, a.labels, a.recipients, a.bunch_key, a.told, a.held, a.look_at`

	// By alarms_firing.
	listFiring = `SELECT ` + deskColumns + ` FROM alarms a WHERE a.firing_on IN (%s)`
	// By alarms_look, in its order.
	listDueAlarms = `SELECT ` + deskColumns + ` FROM alarms a WHERE a.look_at <= ? ORDER BY a.look_at LIMIT ?`
	// By alarms_look.
	nextAlarm = `SELECT MIN(look_at) FROM alarms WHERE look_at > ?`
	// By alarms_bunch; those that were noted are passed over.
	readUnnoted = `SELECT id FROM alarms WHERE bunch_key = ? AND look_at > 0 AND noted_at IS NULL LIMIT 1`

	alarmStateColumns = `s.body, s.subject, s.rule_id, s.kind, s.look_at, s.seen_at`
	// By alarm_states' primary key.
	listAlarmStates = `SELECT ` + alarmStateColumns + ` FROM alarm_states s WHERE s.subject IN (%s)`
	// By alarm_states_look, in its order, and the primary key.
	listDueStates = `SELECT ` + alarmStateColumns + ` FROM alarm_states s WHERE s.look_at <= ? ORDER BY s.look_at LIMIT ?`
	// By alarm_states_look.
	nextAlarmState = `SELECT MIN(look_at) FROM alarm_states WHERE look_at > ?`

	bunchColumns = `b.body, b.id, b.bunch_key, b.channel_id, b.look_at`
	// By alarm_bunches_key.
	listBunches = `SELECT ` + bunchColumns + ` FROM alarm_bunches b WHERE b.bunch_key IN (%s)`
	// By alarm_bunches_look, in its order.
	listDueBunches = `SELECT ` + bunchColumns + ` FROM alarm_bunches b WHERE b.look_at <= ? ORDER BY b.look_at LIMIT ?`
	// By alarm_bunches_look.
	nextBunch = `SELECT MIN(look_at) FROM alarm_bunches WHERE look_at > ?`

	// By alarm_notifications_open.
	countOpenMessages = `SELECT COUNT(*) FROM alarm_notifications WHERE open_on = ?`
	// By alarm_notifications_channel.
	countSentMessages = `SELECT COUNT(*) FROM alarm_notifications WHERE channel_id = ? AND ended_at > ? AND status = 'sent'`
)

// AlarmCursor returns where the engine of alarms stands.
func (s *Store) AlarmCursor(ctx context.Context) (alerting.Cursor, error) {
	c, found, err := first(ctx, s.reader, cursorFields, readAlarmCursor)
	if err == nil && !found {
		err = job.Errorf(job.Internal, "the table alarm_cursor has lost its row")
	}
	return c, err
}

// ReadAlarms returns the rows that a pass asks for, in no order.
func (s *Store) ReadAlarms(ctx context.Context, a alerting.Query) (alerting.Rows, error) {
	var rows alerting.Rows
	for _, read := range []func(context.Context, *alerting.Query, *alerting.Rows) error{
		s.readSubjects, s.readBunches, s.readLoads, s.readUnnoted, s.readDue,
	} {
		if err := read(ctx, &a, &rows); err != nil {
			return alerting.Rows{}, err
		}
	}
	return rows, nil
}

func (s *Store) readSubjects(ctx context.Context, a *alerting.Query, rows *alerting.Rows) error {
	for chunk := range slices.Chunk(a.Subjects, maxIDs) {
		args := sized(chunk)
		if err := collect(ctx, s.reader, deskFields, &rows.Alarms, in(listFiring, len(args)), args...); err != nil {
			return err
		}
		if err := collect(ctx, s.reader, alarmStateFields, &rows.States, in(listAlarmStates, len(args)), args...); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) readBunches(ctx context.Context, a *alerting.Query, rows *alerting.Rows) error {
	for chunk := range slices.Chunk(a.Keys, maxIDs) {
		args := sized(chunk)
		if err := collect(ctx, s.reader, bunchFields, &rows.Bunches, in(listBunches, len(args)), args...); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) readLoads(ctx context.Context, a *alerting.Query, rows *alerting.Rows) error {
	fields := func(n *int) []any { return []any{(*count)(n)} }
	rows.Loads = make(map[int64]alerting.Load, len(a.Channels))
	for _, channel := range a.Channels {
		pending, _, err := first(ctx, s.reader, fields, countOpenMessages, channel)
		if err != nil {
			return err
		}
		ended, _, err := first(ctx, s.reader, fields, countSentMessages, channel, job.Millis(a.Since))
		if err != nil {
			return err
		}
		rows.Loads[channel] = alerting.Load{Pending: pending, Ended: ended}
	}
	return nil
}

func (s *Store) readUnnoted(ctx context.Context, a *alerting.Query, rows *alerting.Rows) error {
	fields := func(id *int64) []any { return []any{(*integer)(id)} }
	rows.Unnoted = make(map[string]bool, len(a.Unnoted))
	for _, key := range a.Unnoted {
		_, found, err := first(ctx, s.reader, fields, readUnnoted, key)
		if err != nil {
			return err
		}
		if found {
			rows.Unnoted[key] = true
		}
	}
	return nil
}

func (s *Store) readDue(ctx context.Context, a *alerting.Query, rows *alerting.Rows) error {
	if a.Due.IsZero() {
		return nil
	}
	now, limit := job.Millis(a.Due), page(a.Limit)
	if err := collect(ctx, s.reader, deskFields, &rows.Alarms, listDueAlarms, now, limit); err != nil {
		return err
	}
	if err := collect(ctx, s.reader, alarmStateFields, &rows.States, listDueStates, now, limit); err != nil {
		return err
	}
	if err := collect(ctx, s.reader, bunchFields, &rows.Bunches, listDueBunches, now, limit); err != nil {
		return err
	}
	fields := func(at *time.Time) []any { return []any{(*instant)(at)} }
	for _, query := range []string{nextAlarm, nextAlarmState, nextBunch} {
		at, _, err := first(ctx, s.reader, fields, query, now)
		if err != nil {
			return err
		}
		if !at.IsZero() && (rows.Next.IsZero() || at.Before(rows.Next)) {
			rows.Next = at
		}
	}
	if len(rows.Alarms)+len(rows.States)+len(rows.Bunches) > 0 {
		rows.Next = a.Due
	}
	return nil
}

// collect appends the rows of a query.
func collect[T any](ctx context.Context, r *reader, fields func(*T) []any, into *[]T, query string, args ...any) error {
	rows, err := list(ctx, r, fields, query, args...)
	*into = append(*into, rows...)
	return err
}

func cursorFields(c *alerting.Cursor) []any {
	return []any{(*integer)(&c.EventID), (*integer)(&c.LastID), (*integer)(&c.Definitions), (*text)(&c.Tag)}
}

func deskFields(a *alerting.Alarm) []any {
	return append(alarmFields(&a.Alarm), document[map[string]string]{&a.Labels}, document[[]string]{&a.To}, (*text)(&a.Key),
		(*truth)(&a.Told), (*count)(&a.Held), (*instant)(&a.LookAt))
}

// alarmStateFields takes the body first: it replaces the whole state.
func alarmStateFields(s *alerting.State) []any {
	return []any{
		document[alerting.State]{s}, (*integer)(&s.Subject), (*integer)(&s.RuleID), (*text)(&s.Kind), (*instant)(&s.LookAt), (*instant)(&s.SeenAt),
	}
}

// bunchFields takes the body first: it replaces the whole bunch.
func bunchFields(b *alerting.AlarmGroup) []any {
	return []any{document[alerting.AlarmGroup]{b}, (*integer)(&b.ID), (*text)(&b.Key), (*integer)(&b.ChannelID), (*instant)(&b.LookAt)}
}
