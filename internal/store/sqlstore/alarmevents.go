package sqlstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/job"
)

const (
	insertEvent = `INSERT INTO alarm_events (id, at, body) VALUES (?, ?, ?)`
	// By alarm_events' primary key, in its order.
	listEvents = `SELECT id, body FROM alarm_events WHERE id > ? ORDER BY id LIMIT ?`
	// By the primary keys of alarm_cursor and alarm_events, in its order: the oldest
	// ones.
	listOldEvents = `SELECT id, at FROM alarm_events WHERE id <= (SELECT event_id FROM alarm_cursor WHERE id = 1)
		ORDER BY id LIMIT ?`
	// By alarm_events' primary key.
	removeEvents = `DELETE FROM alarm_events WHERE id >= ? AND id <= ?`

	// By the last entry of alarm_events' primary key, and that of alarm_cursor.
	readUndealt = `SELECT event_id < (SELECT MAX(id) FROM alarm_events) FROM alarm_cursor WHERE id = 1`
	// By alarms_firing.
	readFires = `SELECT 1 FROM alarms WHERE firing_on = ? LIMIT 1`

	// The columns of a job, and of the group of its run, that events have.
	subjectColumns = `j.namespace, j.job_key, j.title, g.group_key, j.labels, j.alarm_emails`
	// By the primary keys of runs, jobs and executor_groups. Deleted jobs are left out.
	readSubjects = `SELECT r.id, r.planned_at, r.cause, r.tries, r.attempt_id, r.group_id, ` + subjectColumns + `
		FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN executor_groups g ON g.id = r.group_id
		WHERE r.id IN (%s) AND j.tombstone = 0`

	// By runs_job, backwards: the attempts of the newest runs before one.
	listTook = `SELECT r.ended_at - COALESCE(r.accepted_at, r.triggered_at)
		FROM (SELECT state, attempt_state, triggered_at, accepted_at, ended_at FROM runs WHERE job_id = ? AND id < ?
		ORDER BY id DESC LIMIT ?) r WHERE r.ended_at > 0 AND r.triggered_at > 0 AND COALESCE(r.attempt_state, r.state) = 'succeeded'`
)

// insertEvents writes many at once.
var insertEvents = batch{query: insertEvent, kinds: "iit"}

// sequenceEvents numbers events. A transaction that advances it holds its row until it
// ends, so that ids follow the order of commits.
const sequenceEvents = "alarm_events"

const (
	// maxTook is how many runs of a job the 95th percentile is taken of, and minTook
	// how many of them must have succeeded.
	maxTook = 200
	minTook = 20
	// maxEventReason and maxEventMessage bound the texts of an event: the run has
	// the whole ones.
	maxEventReason  = 1000
	maxEventMessage = 2000
)

// eventRow is an event as it is stored: a name, once it was stored, stays.
type eventRow struct {
	ID        int64             `json:"-"`
	At        time.Time         `json:"at"`
	Source    alarm.Source      `json:"source"`
	Namespace string            `json:"namespace,omitempty"`
	GroupID   int64             `json:"group_id,omitempty"`
	Group     string            `json:"group,omitempty"`
	JobID     int64             `json:"job_id,omitempty"`
	JobKey    string            `json:"job,omitempty"`
	JobTitle  string            `json:"title,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	Emails    []string          `json:"emails,omitempty"`
	RunID     int64             `json:"run_id,omitempty"`
	AttemptID int64             `json:"attempt_id,omitempty"`
	State     job.State         `json:"state,omitempty"`
	Cause     job.Cause         `json:"cause,omitempty"`
	Tries     int               `json:"tries,omitempty"`
	PlannedAt time.Time         `json:"planned_at,omitzero"`
	Dead      bool              `json:"dead,omitempty"`
	Took      time.Duration     `json:"took,omitempty"`
	P95       time.Duration     `json:"p95,omitempty"`
	Message   string            `json:"message,omitempty"`
	Since     time.Time         `json:"since,omitzero"`
	Count     int               `json:"count,omitempty"`
	Reason    string            `json:"reason,omitempty"`
}

// encodeEvent returns an event as it is stored, its texts cut.
func encodeEvent(e *alarm.Event) (string, error) {
	row := eventRow(*e)
	row.At, row.PlannedAt, row.Since = row.At.UTC(), row.PlannedAt.UTC(), row.Since.UTC()
	row.Reason, row.Message = job.Clean(row.Reason, maxEventReason), job.Clean(row.Message, maxEventMessage)
	return encode(row)
}

// decodeEvent reads what encodeEvent returned.
func decodeEvent(id int64, body string) (alarm.Event, error) {
	var row eventRow
	if err := json.Unmarshal([]byte(body), &row); err != nil {
		return alarm.Event{}, fmt.Errorf("event %d is no event: %w", id, err)
	}
	row.ID = id
	return alarm.Event(row), nil
}

// writeEvents writes events, in order, under new ids.
func (t *tx) writeEvents(events []*alarm.Event) error {
	if len(events) == 0 {
		return nil
	}
	id, err := t.reserve(sequenceEvents, int64(len(events)))
	if err != nil {
		return err
	}
	rows := make([][]any, len(events))
	for i, e := range events {
		body, err := encodeEvent(e)
		if err != nil {
			return err
		}
		rows[i] = []any{id + int64(i), job.Millis(e.At), body}
	}
	if err := t.doAll(&insertEvents, rows); err != nil {
		return err
	}
	t.wroteEvents = true
	return nil
}

// writeEndEvents writes events for the ends of runs that need one, in order. An event that can
// only end an alarm is left out when no alarm of its job fires, and none can be about to:
// all events before it were processed.
func (t *tx) writeEndEvents(ends []*completer.Completion) error {
	if len(ends) == 0 {
		return nil
	}
	var undealt bool
	if _, err := t.read(readUndealt, nil, []any{(*truth)(&undealt)}); err != nil {
		return err
	}
	events := make([]*alarm.Event, 0, len(ends))
	for _, c := range ends {
		if c.When == completer.WhileFiring && !undealt {
			var fires int64
			if found, err := t.read(readFires, []any{c.JobID}, []any{&fires}); err != nil {
				return err
			} else if !found {
				continue
			}
		}
		events, undealt = append(events, c.Told), true
	}
	return t.writeEvents(events)
}

// missed is a run whose reason explains why firings were not carried out.
type missed struct {
	run     *job.Run
	firings int
}

// writeMissedEvents writes events for firings that were not carried out, if a rule matches them,
// in order.
func (t *tx) writeMissedEvents(all ...missed) error {
	if t.wanted == nil {
		return nil
	}
	all = slices.DeleteFunc(all, func(m missed) bool { return m.run.Cause == job.CauseShard || m.run.Cause == job.CauseTrial })
	about, err := t.aboutMissed(all)
	if err != nil {
		return err
	}
	events := make([]*alarm.Event, 0, len(all))
	for _, m := range all {
		r, e := m.run, about[m.run.ID]
		if e == nil {
			continue
		}
		e.At, e.Source, e.JobID, e.RunID, e.State = r.EndedAt, alarm.SourceMissed, r.JobID, r.ID, job.Skipped
		if e.Count, e.Reason = m.firings, r.Reason; t.wanted(e) {
			events = append(events, e)
		}
	}
	return t.writeEvents(events)
}

// aboutMissed returns events that describe the runs and their jobs; by run.
func (t *tx) aboutMissed(all []missed) (map[int64]*alarm.Event, error) {
	type row struct {
		alarm.Event

		about completer.Subject
	}
	fields := func(r *row) []any {
		own := []any{
			(*integer)(&r.RunID), (*instant)(&r.PlannedAt), (*text)(&r.Cause), (*count)(&r.Tries), (*integer)(&r.AttemptID),
			(*integer)(&r.GroupID),
		}
		return append(own, subjectFields(&r.about)...)
	}
	events := make(map[int64]*alarm.Event, len(all))
	take := func(r *row) {
		e := r.Event
		describeSubject(&e, &r.about)
		events[e.RunID] = &e
	}
	for chunk := range slices.Chunk(all, maxWide) {
		ids := make([]int64, len(chunk))
		for i := range chunk {
			ids[i] = chunk[i].run.ID
		}
		args := sized(ids)
		if err := readEach(t, fields, take, in(readSubjects, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// Events returns up to limit events with ids above after, in order of id. Events that a
// rule compares with the job's other attempts have the P95 of the attempts before. A row
// that cannot be read is an event without a source.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]alarm.Event, error) {
	type row struct {
		id   int64
		body string
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*text)(&r.body)} }
	rows, err := list(ctx, s.reader, fields, listEvents, after, page(limit))
	if err != nil {
		return nil, err
	}
	events := make([]alarm.Event, len(rows))
	usual := make(map[int64]time.Duration) // by job
	for i := range rows {
		e := &events[i]
		if *e, err = decodeEvent(rows[i].id, rows[i].body); err != nil {
			*e = alarm.Event{ID: rows[i].id, Reason: err.Error()} // an unreadable event has no content and must not block the others
			continue
		}
		if e.Took <= 0 || !s.config.Hooks.Timed(e) {
			continue
		}
		var known bool
		if e.P95, known = usual[e.JobID]; known {
			continue
		}
		if e.P95, err = s.p95(ctx, e.JobID, e.RunID); err != nil {
			return nil, err
		}
		usual[e.JobID] = e.P95
	}
	return events, nil
}

// p95 returns the time that 95 of 100 of the job's newest good attempts before a run
// took at most; zero when there were too few.
func (s *Store) p95(ctx context.Context, jobID, run int64) (time.Duration, error) {
	fields := func(d *time.Duration) []any { return []any{(*period)(d)} }
	took, err := list(ctx, s.reader, fields, listTook, jobID, run, maxTook)
	if err != nil || len(took) < minTook {
		return 0, err
	}
	slices.Sort(took)
	return took[(len(took)*95+99)/100-1], nil
}

// RemoveEvents removes up to limit of the oldest events that are from before an
// instant and were dealt with, in one transaction, and returns how many.
func (s *Store) RemoveEvents(ctx context.Context, before time.Time, limit int) (int, error) {
	type row struct {
		id int64
		at time.Time
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*instant)(&r.at)} }
	old, err := list(ctx, s.reader, fields, listOldEvents, max(limit, 0))
	if err != nil {
		return 0, err
	}
	n := 0
	for n < len(old) && old[n].at.Before(before) {
		n++
	}
	if n == 0 {
		return 0, nil
	}
	removed := 0
	err = s.writer.update(ctx, func(t *tx) error {
		gone, err := t.exec(removeEvents, old[0].id, old[n-1].id)
		removed = int(gone)
		return err
	})
	return removed, err
}

// describeSubject fills in the job that an event is about.
func describeSubject(e *alarm.Event, about *completer.Subject) {
	e.Namespace, e.JobKey, e.JobTitle, e.Group = about.Namespace, about.Key, about.Title, about.Group
	e.Labels, e.Emails = about.Labels, about.Emails
}

func subjectFields(s *completer.Subject) []any {
	return []any{
		(*text)(&s.Namespace), (*text)(&s.Key), (*text)(&s.Title), (*text)(&s.Group),
		document[map[string]string]{&s.Labels},
		document[[]string]{&s.Emails},
	}
}
