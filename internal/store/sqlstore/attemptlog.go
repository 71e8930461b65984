package sqlstore

import (
	"context"
	"math"
	"slices"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarm"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
)

const (
	// The standing 3 is that of what an executor has.
	attemptFilter = `a.address <> '' AND a.triggered_at >= ? AND a.triggered_at < ? AND (? = 0 OR (? = 1 AND a.state = 'succeeded')
		OR (? = 2 AND a.open_on IS NULL AND a.state <> 'succeeded')
		OR (? = 3 AND a.open_on > '' AND (a.accepted_at > 0 OR a.state = 'running'))) ORDER BY r.id DESC, a.id DESC LIMIT ?`
	// By runs_job, backwards, and attempts_run, backwards. Here and below, attempts
	// that the filter leaves out are passed over.
	listJobAttemptIDs = `SELECT a.id FROM runs r CROSS JOIN attempts a ON a.run_id = r.id
		WHERE r.job_id = ? AND (? = 0 OR r.group_id = ?) AND ` + attemptFilter
	// By runs' primary key, backwards, and attempts_run, backwards; runs of other
	// groups are passed over.
	listGroupAttemptIDs = `SELECT a.id FROM runs r CROSS JOIN attempts a ON a.run_id = r.id
		WHERE r.id <= ? AND r.group_id = ? AND ` + attemptFilter
	// As those, and for each row by the primary keys of jobs and executor_groups.
	attemptPlaces         = ` CROSS JOIN jobs j ON j.id = r.job_id CROSS JOIN executor_groups g ON g.id = r.group_id`
	listSeenJobAttemptIDs = `SELECT a.id FROM runs r CROSS JOIN attempts a ON a.run_id = r.id` + attemptPlaces + `
		WHERE r.job_id = ? AND (? = 0 OR r.group_id = ?) AND TRUE IN (%s) AND ` + attemptFilter
	listSeenGroupAttemptIDs = `SELECT a.id FROM runs r CROSS JOIN attempts a ON a.run_id = r.id` + attemptPlaces + `
		WHERE r.id <= ? AND r.group_id = ? AND TRUE IN (%s) AND ` + attemptFilter
	// By the primary keys of attempts, runs and jobs.
	listTried = `SELECT ` + attemptColumns + `, ` + runColumns + `, j.job_key FROM attempts a CROSS JOIN runs r ON r.id = a.run_id
		CROSS JOIN jobs j ON j.id = r.job_id WHERE a.id IN (%s)`

	// By alarm_entries_run and the primary key of alarms.
	listRunEntries = `SELECT e.run_id, e.at, a.bunch_key, a.state, a.told FROM alarm_entries e CROSS JOIN alarms a ON a.id = e.alarm_id
		WHERE e.run_id IN (%s)`
	// By alarm_notifications_bunch, in its order.
	listBunchMessages = `SELECT n.channel_id, n.status FROM alarm_notifications n WHERE n.bunch_key = ? AND n.created_at >= ?
		ORDER BY n.created_at LIMIT ?`
	// By alarm_notifications_bunch, backwards.
	readLastMessage = `SELECT n.channel_id, n.status FROM alarm_notifications n WHERE n.bunch_key = ? AND n.created_at < ?
		ORDER BY n.created_at DESC LIMIT 1`
)

const (
	// maxListed is how many ids of attempts are listed.
	maxListed = 20_000
	// maxHeard is how many messages are looked at for an event.
	maxHeard = 50
)

// AttemptIDs returns the ids of up to f.Limit attempts, and of at most 20,000.
func (s *Store) AttemptIDs(ctx context.Context, f catalog.AttemptFilter) ([]int64, error) {
	ids := func(id *int64) []any { return []any{(*integer)(id)} }
	_, until := bounds(0, f.Until)
	standing := int(f.Standing)
	filter := []any{job.Millis(f.Since), until, standing, standing, standing, standing, min(max(f.Limit, 0), maxListed)}
	query, of, seen := listGroupAttemptIDs, []any{int64(math.MaxInt64), f.GroupID}, listSeenGroupAttemptIDs
	if f.JobID != 0 {
		query, of, seen = listJobAttemptIDs, []any{f.JobID, f.GroupID, f.GroupID}, listSeenJobAttemptIDs
	}
	if f.Sight.All {
		return list(ctx, s.reader, ids, query, append(of, filter...)...)
	}
	query, places, ok, err := within(seen, &f.Sight, "j.namespace", "g.group_key")
	if err != nil || !ok {
		return nil, err
	}
	return list(ctx, s.reader, ids, query, slices.Concat(of, places, filter)...)
}

// Tried returns the attempts of these ids that exist, with their runs, in no order.
func (s *Store) Tried(ctx context.Context, ids []int64) ([]catalog.Tried, error) {
	fields := func(t *catalog.Tried) []any { return append(attemptFields(&t.Attempt), namedRunFields(&t.Run)...) }
	tried := make([]catalog.Tried, 0, len(ids))
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		if err := collect(ctx, s.reader, fields, &tried, in(listTried, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return tried, nil
}

// heard is an event of an alarm: what its messages are found by.
type heard struct {
	run   int64
	at    time.Time
	bunch string
	state words.State
	told  bool
}

// Told returns what became of the ends of runs. A run whose alarm fires and of which
// no channel has been told is pending.
func (s *Store) Told(ctx context.Context, runs []int64) (map[int64]alarm.Telling, error) {
	fields := func(h *heard) []any {
		return []any{(*integer)(&h.run), (*instant)(&h.at), (*text)(&h.bunch), (*text)(&h.state), (*truth)(&h.told)}
	}
	told := make(map[int64]alarm.Telling, len(runs))
	for chunk := range slices.Chunk(runs, maxIDs) {
		args := sized(chunk)
		entries, err := list(ctx, s.reader, fields, in(listRunEntries, len(args)), args...)
		if err != nil {
			return nil, err
		}
		for i := range entries {
			h := &entries[i]
			messages, err := s.messagesOf(ctx, h)
			if err != nil {
				return nil, err
			}
			t := told[h.run]
			t.Messages = append(t.Messages, messages...)
			told[h.run] = t
		}
	}
	return told, s.waiting(ctx, runs, told)
}

// messagesOf returns where the messages about an event stand.
func (s *Store) messagesOf(ctx context.Context, h *heard) ([]words.Delivery, error) {
	type message struct {
		channel int64
		status  words.Delivery
	}
	fields := func(m *message) []any { return []any{(*integer)(&m.channel), (*text)(&m.status)} }
	messages, err := list(ctx, s.reader, fields, listBunchMessages, h.bunch, job.Millis(h.at), maxHeard)
	if err == nil && len(messages) == 0 {
		messages, err = list(ctx, s.reader, fields, readLastMessage, h.bunch, job.Millis(h.at))
	}
	if err != nil {
		return nil, err
	}
	var where []words.Delivery
	channels := make(map[int64]bool)
	for _, m := range messages {
		if !channels[m.channel] {
			channels[m.channel], where = true, append(where, m.status)
		}
	}
	if len(where) == 0 && h.state == words.Firing && h.told {
		where = append(where, words.Pending)
	}
	return where, nil
}

// waiting marks the runs of whose ends nobody has taken note yet. When more events
// wait than are looked at, those of which nothing is known count as waiting.
func (s *Store) waiting(ctx context.Context, runs []int64, told map[int64]alarm.Telling) error {
	cursor, err := s.AlarmCursor(ctx)
	if err != nil {
		return err
	}
	type row struct {
		id   int64
		body string
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*text)(&r.body)} }
	rows, err := list(ctx, s.reader, fields, listEvents, cursor.EventID, maxPage)
	if err != nil {
		return err
	}
	about := make(map[int64]bool, len(rows))
	for _, r := range rows {
		e, err := decodeEvent(r.id, r.body)
		if err != nil {
			return job.Errorf(job.Internal, "read events: %w", err)
		}
		about[e.RunID] = true
	}
	for _, id := range runs {
		t, known := told[id]
		t.Waiting = !known && (about[id] || len(rows) == maxPage)
		told[id] = t
	}
	return nil
}
