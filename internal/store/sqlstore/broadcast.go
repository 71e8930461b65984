package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/broadcast"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

const (
	broadcastColumns = `b.run_id, b.job_id, b.attempt_id, b.total, b.shards, b.open, b.failed, b.cancel`

	insertBroadcast = `INSERT INTO broadcasts (run_id, job_id, attempt_id, total, shards, open, failed, cancel)
		VALUES (?, ?, ?, ?, ?, ?, 0, '')`
	insertShard = `INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, reason,
		ready_at, due_at, param, addresses, created_at, ended_at, priority, expires_at, asked_by, attempt_id, tries, address, triggered_at, check_at, open_on, open_job, shard_index, shard_total, home)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// By runs' primary key.
	splitRun = `UPDATE runs SET state = 'running', reason = ?, check_at = NULL, accepted_at = ?, started_at = COALESCE(started_at, ?)
		WHERE id = ? AND attempt_id = ? AND state = 'dispatched'`

	// By broadcasts' primary key. There is nothing to look at before the last shard has
	// ended.
	endShard = `UPDATE broadcasts SET look_at = CASE WHEN open <= ? THEN ? ELSE look_at END, failed = failed + ?,
		open = open - ? WHERE run_id = ? AND open >= ?`
	// By broadcasts' primary key: shards that are open are to be stopped.
	endSplit = `UPDATE broadcasts SET look_at = CASE WHEN open > 0 THEN CAST(? AS BIGINT) ELSE NULL END WHERE run_id = ?`
	// By broadcasts' primary key.
	wishCancel = `UPDATE broadcasts SET cancel = ?, look_at = ? WHERE run_id = ? AND cancel = ''`
	// By runs' primary key.
	noteCancel = `UPDATE runs SET reason = ? WHERE id = ? AND ended_at IS NULL`
	// By the primary key of runs.
	readFiring = `SELECT job_id, planned_at FROM runs WHERE id = ?`
	// By runs_firing: the shards of a run.
	cancelShards = `UPDATE runs SET state = 'cancelled', reason = ?, ended_at = ?, ready_at = NULL
		WHERE job_id = ? AND planned_at = ? AND firing = 'shard' AND cause_id = ? AND ready_at IS NOT NULL`
	// By broadcasts_job, past those that are over: when a job is deleted.
	nextBroadcast = `SELECT run_id FROM broadcasts WHERE job_id = ? AND run_id > ? AND open > 0 ORDER BY run_id LIMIT 1`

	// By broadcasts_look, in its order.
	listBroadcasts = `SELECT run_id, look_at FROM broadcasts WHERE look_at <= ? ORDER BY look_at LIMIT ?`
	// The next two by broadcasts' primary key.
	claimBroadcast = `UPDATE broadcasts SET look_at = ? WHERE run_id = ? AND look_at = ?`
	readBroadcast  = `SELECT ` + broadcastColumns + ` FROM broadcasts b WHERE b.run_id = ?`
	// By the primary keys of broadcasts, runs and jobs.
	readBroadcastWork = `SELECT ` + broadcastColumns + `, ` + runColumns + `, j.job_key FROM broadcasts b
		JOIN runs r ON r.id = b.run_id JOIN jobs j ON j.id = r.job_id WHERE b.run_id = ? AND b.look_at = ?`
	// By the primary keys of runs and jobs, and runs_firing in its order.
	listShards = `SELECT ` + runColumns + `, j.job_key, r.address FROM runs p
		JOIN jobs j ON j.id = p.job_id
		JOIN runs r ON r.job_id = p.job_id AND r.planned_at = p.planned_at AND r.firing = 'shard' AND r.cause_id = p.id
		WHERE p.id = ? ORDER BY r.shard_index LIMIT ?`
	// By broadcasts' primary key.
	removeBroadcast = `DELETE FROM broadcasts WHERE run_id = ?`
)

func broadcastFields(b *job.Broadcast) []any {
	return []any{
		(*integer)(&b.RunID), (*integer)(&b.JobID), (*integer)(&b.AttemptID), (*count)(&b.Total), (*count)(&b.Shards),
		(*count)(&b.Open), (*count)(&b.Failed), (*text)(&b.Cancel),
	}
}

// countedBy returns the job that the attempt of a mark counts for, nil for none.
func countedBy(m *dispatcher.Mark) any {
	if m.Part {
		return nil
	}
	return m.Attempt.JobID
}

// split makes a broadcast of a run that was just dispatched: no executor has its
// attempt, and its shards wait.
func (t *tx) split(m *dispatcher.Mark) error {
	a := &m.Attempt
	at := a.TriggeredAt.UnixMilli()
	if err := t.do(splitRun, clean(m.Reason), at, at, a.RunID, a.ID); err != nil {
		return err
	}
	t.moved(a.RunID, job.Running, a.ID, m.Reason, "")
	n := len(m.Shards)
	if err := t.do(insertBroadcast, a.RunID, a.JobID, a.ID, m.Shards[0].Shard.Total, n, n); err != nil {
		return err
	}
	for i := range m.Shards {
		r := &m.Shards[i]
		if err := t.do(insertShard, append(runArgs(r), r.Shard.Index, r.Shard.Total, r.Home)...); err != nil {
			return err
		}
		t.made(r)
	}
	return nil
}

// endOfShards counts n shards of a run that have ended alike. The end of the last
// one is to be looked at.
func (t *tx) endOfShards(parent int64, state job.State, at time.Time, n int64) error {
	if n <= 0 {
		return nil
	}
	failed := n
	if state == job.Succeeded {
		failed = 0
	}
	return t.do(endShard, n, job.Millis(at), failed, n, parent, n)
}

// endUnsent counts a run that has ended without its own attempt: with the ends of its job,
// or with those of its broadcast.
func (t *tx) endUnsent(r *job.Run, state job.State, at time.Time) error {
	if r.Cause == job.CauseShard {
		return t.endOfShards(r.CauseID, state, at, 1)
	}
	if r.Cause == job.CauseTrial { // it counts nowhere
		return nil
	}
	t.countOver(r.JobID, state, at, 1)
	return nil
}

// endBroadcast notes for broadcasts that a run has ended: one of their shards, or
// the run that was split. Most runs are neither.
func (t *tx) endBroadcast(c *completer.Completion) error {
	switch {
	case !c.RunState.Final():
	case c.ShardOf != 0:
		return t.endOfShards(c.ShardOf, c.RunState, c.EndedAt, 1)
	case c.Split:
		return t.do(endSplit, job.Millis(c.EndedAt), c.RunID)
	}
	return nil
}

// dropShards cancels the shards of a run that wait.
func (t *tx) dropShards(run int64, reason string, at time.Time) error {
	var jobID, planned int64
	found, err := t.read(readFiring, []any{run}, []any{&jobID, &planned})
	if err != nil || !found {
		return err
	}
	if err := t.cancelling(reason, listWaitingShards, jobID, planned, run); err != nil {
		return err
	}
	n, err := t.exec(cancelShards, reason, job.Millis(at), jobID, planned, run)
	if err != nil {
		return err
	}
	return t.endOfShards(run, job.Cancelled, at, n)
}

// dropShardsOf cancels the shards of a job that wait.
func (t *tx) dropShardsOf(jobID int64, reason string, at time.Time) error {
	var run int64
	for {
		found, err := t.read(nextBroadcast, []any{jobID, run}, []any{&run})
		if err == nil && found {
			err = t.dropShards(run, reason, at)
		}
		if err != nil || !found {
			return err
		}
	}
}

// CancelBroadcast records that a user cancels a run that was split, and the reason, unless
// a user did before; its waiting shards are cancelled at once. The caller that claims the
// broadcast must end the others. It returns the broadcast as it is then. Kinds: NotFound
// when the run was never split.
func (s *Store) CancelBroadcast(ctx context.Context, run int64, reason string, now time.Time) (job.Broadcast, error) {
	var b job.Broadcast
	reason = clean(reason)
	err := s.writer.update(ctx, func(t *tx) error {
		wished, err := t.one(wishCancel, reason, job.Millis(now), run)
		if err == nil && wished {
			err = t.do(noteCancel, reason, run)
		}
		if err == nil && wished {
			err = t.dropShards(run, reason, now)
		}
		if err != nil {
			return err
		}
		found, err := t.read(readBroadcast, []any{run}, broadcastFields(&b))
		if err == nil && !found {
			err = noBroadcast(run)
		}
		return err
	})
	return b, err
}

// AddBroadcast writes a run that is split at once, with its shards, under the
// version and group of its job at this moment. The deadline ends it so long
// after now; zero never does. It counts for the limit of the job's overlap as any
// run does. Kinds: NotFound when the job does not exist, Conflict when the firing
// exists, and of [job.ErrBusy] when the job has no room for it.
func (s *Store) AddBroadcast(ctx context.Context, r job.Run, shards []job.Run, deadline time.Duration) error {
	r.By = askedBy(ctx)
	return s.writer.update(ctx, func(t *tx) error {
		found, err := t.target(&r)
		if err != nil {
			return err
		}
		if !found {
			return job.Errorf(job.NotFound, "job %d does not exist", r.JobID)
		}
		if err := t.do(insertRun, runArgs(&r)...); err != nil {
			return err
		}
		if err := t.roomFor(&r); err != nil {
			return err
		}
		t.made(&r)
		m := dispatcher.Mark{
			From: r.State, JobVersion: r.JobVersion, CheckAt: r.CreatedAt, Deadline: deadline, Reason: r.Reason,
			Attempt: job.Attempt{ID: r.ID, RunID: r.ID, JobID: r.JobID, Number: 1, TriggeredAt: r.CreatedAt},
			Shards:  shards,
		}
		for i := range m.Shards {
			shard := &m.Shards[i]
			shard.JobVersion, shard.GroupID = r.JobVersion, r.GroupID
			shard.Priority, shard.ExpireAt = r.Priority, r.ExpireAt
		}
		return t.dispatchApart([]dispatcher.Mark{m}, make([]bool, 1))
	})
}

// Broadcast returns how far a run that was split is, or NotFound when it never
// was.
func (s *Store) Broadcast(ctx context.Context, run int64) (job.Broadcast, error) {
	b, found, err := first(ctx, s.reader, broadcastFields, readBroadcast, run)
	if err == nil && !found {
		err = noBroadcast(run)
	}
	return b, err
}

// Shards returns the shards of a run, in order of index; a run that was never
// split has none.
func (s *Store) Shards(ctx context.Context, run int64) ([]job.ShardRun, error) {
	fields := func(r *job.ShardRun) []any { return append(namedRunFields(&r.Run), (*text)(&r.Address)) }
	return list(ctx, s.reader, fields, listShards, run, job.MaxShards)
}

// ClaimBroadcasts takes up to limit broadcasts that something is to be done about
// by now, the earliest first, and hides them from other claims until lease.
// Nothing is written when there is none.
func (s *Store) ClaimBroadcasts(ctx context.Context, now, lease time.Time, limit int) ([]broadcast.Work, error) {
	type row struct {
		run  int64
		look int64
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.run), (*integer)(&r.look)} }
	waiting, err := list(ctx, s.reader, fields, listBroadcasts, job.Millis(now), max(limit, 0))
	if err != nil || len(waiting) == 0 {
		return nil, err
	}
	until := job.Millis(lease)
	claimed := make([]int64, 0, len(waiting))
	err = s.writer.update(ctx, func(t *tx) error {
		claimed = claimed[:0]
		for _, w := range waiting {
			ok, err := t.one(claimBroadcast, until, w.run, w.look)
			if err != nil {
				return err
			}
			if ok {
				claimed = append(claimed, w.run)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []broadcast.Work
	for _, run := range claimed {
		works := func(w *broadcast.Work) []any { return append(broadcastFields(&w.Broadcast), namedRunFields(&w.Run)...) }
		w, found, err := first(ctx, s.reader, works, readBroadcastWork, run, until)
		if err != nil {
			return nil, err
		}
		if found { // nothing has happened to it since
			w.Lease = job.FromMillis(until)
			all = append(all, w)
		}
	}
	return all, nil
}

// PutOff sets when a claimed broadcast is looked at again; the zero time means not before
// it changes. It does nothing when the broadcast has changed since the claim.
func (s *Store) PutOff(ctx context.Context, w broadcast.Work, at time.Time) error {
	return s.writer.update(ctx, func(t *tx) error {
		return t.do(claimBroadcast, nullable(at), w.Run.ID, job.Millis(w.Lease))
	})
}

func noBroadcast(run int64) error {
	wrong := job.Errorf(job.NotFound, "run %d was not split into shards", run)
	wrong.Hint = "only runs of jobs with the route broadcast are, once they have started"
	return wrong
}
