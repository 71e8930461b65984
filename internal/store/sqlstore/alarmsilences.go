package sqlstore

import (
	"context"
	"strconv"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

const (
	silenceColumns = `s.definition, s.id, s.namespace, s.created_at`

	// By alarm_silences_namespace, in its order.
	listAlarmSilences = `SELECT ` + silenceColumns + ` FROM alarm_silences s WHERE s.namespace = ? ORDER BY s.id`
	// By a scan of at most alarm.MaxSilences rows in the order of the primary key,
	// for people or when definitions have changed.
	listAllAlarmSilences = `SELECT ` + silenceColumns + ` FROM alarm_silences s ORDER BY s.id`
	// By a scan of at most alarm.MaxSilences index entries, for new silences only.
	countAlarmSilences = `SELECT COUNT(*) FROM alarm_silences`
	insertAlarmSilence = `INSERT INTO alarm_silences (id, namespace, definition, ends_at, created_at) VALUES (?, ?, ?, ?, ?)`
	// By alarm_silences' primary key.
	updateAlarmSilence = `UPDATE alarm_silences SET definition = ?, ends_at = ? WHERE id = ?`
	// By alarm_silences' primary key.
	deleteAlarmSilence = `DELETE FROM alarm_silences WHERE id = ?`
	// By a scan of at most alarm.MaxSilences rows, for new silences only.
	forgetAlarmSilences = `DELETE FROM alarm_silences WHERE ends_at > 0 AND ends_at < ?`
)

// AlarmSilences returns the silences of a namespace, of all when it is empty, in
// order of id.
func (s *Store) AlarmSilences(ctx context.Context, namespace string) ([]alarm.Silence, error) {
	if namespace == "" {
		return list(ctx, s.reader, silenceFields, listAllAlarmSilences)
	}
	return list(ctx, s.reader, silenceFields, listAlarmSilences, namespace)
}

// SaveAlarmSilence writes a silence, a new one when its ID is 0, and returns it as
// it stands. A new one pushes out those that ended before forget. Kinds: NotFound,
// Full.
func (s *Store) SaveAlarmSilence(ctx context.Context, q alarm.Silence, forget time.Time) (alarm.Silence, error) {
	plain := q
	plain.ID, plain.Namespace, plain.CreatedAt = 0, "", time.Time{}
	definition, err := encode(plain)
	if err != nil {
		return alarm.Silence{}, err
	}
	ends, given := job.Millis(q.Until), q
	err = s.writer.update(ctx, func(t *tx) error {
		q = given // it may be done again
		if q.ID != 0 {
			found, err := t.one(updateAlarmSilence, definition, ends, q.ID)
			if err != nil {
				return err
			}
			if !found {
				return noSilence(q.ID)
			}
			return t.touchAlarmBook()
		}
		if err := t.do(forgetAlarmSilences, job.Millis(forget)); err != nil {
			return err
		}
		id, err := t.alarmID(countAlarmSilences, "silences", alarm.MaxSilences)
		if err != nil {
			return err
		}
		if err := t.do(insertAlarmSilence, id, q.Namespace, definition, ends, job.Millis(q.CreatedAt)); err != nil {
			return err
		}
		q.ID = id
		t.names("silence", q.Namespace, "", strconv.FormatInt(id, 10))
		return t.touchAlarmBook()
	})
	if err != nil {
		return alarm.Silence{}, err
	}
	return q, nil
}

// DeleteAlarmSilence removes a silence. Kinds: NotFound.
func (s *Store) DeleteAlarmSilence(ctx context.Context, id int64) error {
	return s.writer.update(ctx, func(t *tx) error {
		found, err := t.one(deleteAlarmSilence, id)
		if err != nil {
			return err
		}
		if !found {
			return noSilence(id)
		}
		return t.touchAlarmBook()
	})
}
