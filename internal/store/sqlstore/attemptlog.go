package sqlstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

const (
	// The attempts in the rows of their runs, by runs_job, backwards. Here and below, attempts that
	// the filter leaves out are passed over. The standing 3 is that of what an executor has.
	lastFilter = `r.address <> '' AND r.triggered_at >= ? AND r.triggered_at < ? AND (? = 0
		OR (? = 1 AND r.open_on IS NULL AND COALESCE(r.attempt_state, r.state) = 'succeeded')
		OR (? = 2 AND r.open_on IS NULL AND COALESCE(r.attempt_state, r.state) <> 'succeeded')
		OR (? = 3 AND r.open_on <> '' AND (r.accepted_at > 0 OR r.check_at IS NULL))) ORDER BY r.id DESC LIMIT ?`
	ofJob     = `r.job_id = ? AND (? = 0 OR r.group_id = ?) AND `
	ofGroup   = `r.id <= ? AND r.group_id = ? AND `
	ofPlaces  = `TRUE IN (%s) AND `
	lastOfJob = `SELECT r.attempt_id, r.id FROM runs r WHERE ` + ofJob + lastFilter
	// By runs_group, backwards.
	lastOfGroup = `SELECT r.attempt_id, r.id FROM runs r WHERE ` + ofGroup + lastFilter
	// As those, and for each row by the primary keys of jobs and executor_groups.
	attemptPlaces   = ` CROSS JOIN jobs j ON j.id = r.job_id CROSS JOIN executor_groups g ON g.id = r.group_id`
	lastOfJobSeen   = `SELECT r.attempt_id, r.id FROM runs r` + attemptPlaces + ` WHERE ` + ofJob + ofPlaces + lastFilter
	lastOfGroupSeen = `SELECT r.attempt_id, r.id FROM runs r` + attemptPlaces + ` WHERE ` + ofGroup + ofPlaces + lastFilter

	// The earlier attempts, which no executor holds: by attempts_job, backwards, and runs'
	// primary key.
	pastFilter = `a.address <> '' AND a.triggered_at >= ? AND a.triggered_at < ? AND (? = 0 OR (? = 1 AND a.state = 'succeeded')
		OR (? = 2 AND a.state <> 'succeeded') OR (? = 3 AND a.id < 0)) ORDER BY a.run_id DESC, a.id DESC LIMIT ?`
	pastOfJob = `SELECT a.id, a.run_id` + fromPast + ` WHERE ` + pastJob + pastFilter
	pastJob   = `a.job_id = ? AND (? = 0 OR r.group_id = ?) AND `
	pastGroup = `a.run_id <= ? AND r.group_id = ? AND `
	// By attempts_run, backwards, and runs' primary key; runs of other groups are passed over.
	pastOfGroup = `SELECT a.id, a.run_id` + fromPast + ` WHERE ` + pastGroup + pastFilter
	// As those, and for each row by the primary keys of jobs and executor_groups.
	pastOfJobSeen   = `SELECT a.id, a.run_id` + fromPast + attemptPlaces + ` WHERE ` + pastJob + ofPlaces + pastFilter
	pastOfGroupSeen = `SELECT a.id, a.run_id` + fromPast + attemptPlaces + ` WHERE ` + pastGroup + ofPlaces + pastFilter

	// By the primary key of runs, by runs_again, and by the primary keys of attempts and runs, and that
	// of jobs.
	triedFirst = `SELECT ` + lastColumns + `, ` + runColumns + `, j.job_key FROM runs r` + ofTried + ifFirst
	triedAgain = `SELECT ` + lastColumns + `, ` + runColumns + `, j.job_key FROM runs r` + ofTried + ifAgain
	triedPast  = `SELECT ` + pastColumns + `, ` + runColumns + `, j.job_key` + fromPast + ofTried + ifPast
	ofTried    = ` CROSS JOIN jobs j ON j.id = r.job_id WHERE `

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
func (s *Store) AttemptIDs(ctx context.Context, f queries.AttemptFilter) ([]int64, error) {
	_, until := bounds(0, f.Until)
	standing, limit := int(f.Standing), min(max(f.Limit, 0), maxListed)
	filter := []any{job.Millis(f.Since), until, standing, standing, standing, standing, limit}
	of, queries, seen := []any{int64(math.MaxInt64), f.GroupID}, [...]string{lastOfGroup, pastOfGroup}, [...]string{lastOfGroupSeen, pastOfGroupSeen}
	if f.JobID != 0 {
		of, queries, seen = []any{f.JobID, f.GroupID, f.GroupID}, [...]string{lastOfJob, pastOfJob}, [...]string{lastOfJobSeen, pastOfJobSeen}
	}
	type row struct{ id, run int64 }
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*integer)(&r.run)} }
	var found []row
	for i, query := range queries { // the second query finds attempts that become earlier ones between the two
		var places []any
		if !f.Sight.All {
			var ok bool
			var err error
			if query, places, ok, err = within(seen[i], &f.Sight, "j.namespace", "g.group_key"); err != nil || !ok {
				return nil, err
			}
		}
		if err := collect(ctx, s.reader, fields, &found, query, slices.Concat(of, places, filter)...); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b row) int { return cmp.Or(cmp.Compare(b.run, a.run), cmp.Compare(b.id, a.id)) })
	found = slices.Compact(found)
	var ids []int64
	for _, r := range found[:min(len(found), limit)] {
		ids = append(ids, r.id)
	}
	return ids, nil
}

// triedLookup finds attempts with their runs.
var triedLookup = lookup{triedFirst, triedAgain, triedPast}

// Tried returns the attempts of these ids that exist, with their runs, in no order.
func (s *Store) Tried(ctx context.Context, ids []int64) ([]queries.Tried, error) {
	fields := func(t *queries.Tried) []any { return append(attemptFields(&t.Attempt), namedRunFields(&t.Run)...) }
	return ofAttempts(ctx, s.reader, &triedLookup, fields, func(t *queries.Tried) int64 { return t.Attempt.ID }, ids, maxIDs)
}

// heard is an event of an alarm: what its messages are found by.
type heard struct {
	run   int64
	at    time.Time
	bunch string
	state words.State
	told  bool
}

// AlarmOutcomes returns the notification outcomes of the ends of runs. A run whose alarm
// fires and of which no channel was notified is pending.
func (s *Store) AlarmOutcomes(ctx context.Context, runs []int64) (map[int64]alerting.Outcome, error) {
	fields := func(h *heard) []any {
		return []any{(*integer)(&h.run), (*instant)(&h.at), (*text)(&h.bunch), (*text)(&h.state), (*truth)(&h.told)}
	}
	outcomes := make(map[int64]alerting.Outcome, len(runs))
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
			t := outcomes[h.run]
			t.Messages = append(t.Messages, messages...)
			outcomes[h.run] = t
		}
	}
	return outcomes, s.waiting(ctx, runs, outcomes)
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

// waiting marks the runs whose ends are not processed yet. When more events wait than are
// read, those without a known outcome count as waiting.
func (s *Store) waiting(ctx context.Context, runs []int64, outcomes map[int64]alerting.Outcome) error {
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
		t, known := outcomes[id]
		t.Waiting = !known && (about[id] || len(rows) == maxPage)
		outcomes[id] = t
	}
	return nil
}
