package sqlstore

import (
	"context"
	"maps"
	"slices"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

const (
	// By the primary keys of attempts, runs, jobs and executor_groups. The parameter is read only
	// when one of the children names it.
	listSnapshots = `SELECT ` + attemptColumns + `, ` + runColumns + `, j.tombstone, j.retry, j.children,
		j.after_ms, j.stop_after, j.failures, CASE WHEN j.children LIKE '%%{{param}}%%' THEN j.param ELSE '' END, ` + subjectColumns + `
		FROM attempts a JOIN runs r ON r.id = a.run_id JOIN jobs j ON j.id = r.job_id
		LEFT JOIN executor_groups g ON g.id = r.group_id WHERE a.id IN (%s)`
	// By jobs' primary key.
	listTargets = `SELECT id, version, group_id FROM jobs WHERE id IN (%s) AND tombstone = 0`

	// By attempts' primary key. Exactly the attempts that are not final have
	// an open_on.
	endAttempt = `UPDATE attempts SET state = ?, message = ?, ended_at = ?, check_at = NULL, open_on = NULL,
		open_job = NULL, accepted_at = COALESCE(accepted_at, ?) WHERE id = ? AND open_on IS NOT NULL`
	// By runs' primary key. An empty reason leaves what is there.
	endRun = `UPDATE runs SET state = ?, message = ?, reason = COALESCE(?, reason), ready_at = ?,
		due_at = COALESCE(?, due_at), ended_at = ?, avoid = ?, started_at = COALESCE(started_at, ?)
		WHERE id = ? AND attempt_id = ? AND (state = 'dispatched' OR state = 'running')`
	// By runs' primary key. Exactly the runs that wait have a ready_at.
	endWaiting = `UPDATE runs SET state = ?, reason = COALESCE(?, reason), ready_at = NULL, ended_at = ?
		WHERE id = ? AND attempt_id = ? AND ready_at IS NOT NULL`
)

// snapshot is a Snapshot with the children as the job names them.
type snapshot struct {
	completer.Snapshot
	tombstone int64
	children  []job.Child
}

func snapshotFields(s *snapshot) []any {
	fields := append(attemptFields(&s.Attempt), runFields(&s.Run)...)
	fields = append(fields, (*integer)(&s.tombstone), document[retry.Policy]{&s.Retry}, document[[]job.Child]{&s.children},
		(*period)(&s.After), (*count)(&s.StopAfter), (*count)(&s.Failures), (*text)(&s.Param))
	return append(fields, subjectFields(&s.Subject)...)
}

// Snapshots returns what is known of the attempts that exist, in no particular
// order. Children that were deleted are left out.
func (s *Store) Snapshots(ctx context.Context, attempts []int64) ([]completer.Snapshot, error) {
	all := make([]snapshot, 0, len(attempts))
	for chunk := range slices.Chunk(attempts, maxIDs) {
		args := sized(chunk)
		err := each(ctx, s.reader, snapshotFields, func(row *snapshot) { all = append(all, *row) },
			in(listSnapshots, len(args)), args...)
		if err != nil {
			return nil, err
		}
	}
	targets, err := s.targets(ctx, all)
	if err != nil {
		return nil, err
	}
	out := make([]completer.Snapshot, len(all))
	for i := range all {
		out[i] = all[i].Snapshot
		out[i].Deleted = all[i].tombstone != 0
		for _, c := range all[i].children {
			if child, ok := targets[c.JobID]; ok {
				child.Child = c
				out[i].Children = append(out[i].Children, child)
			}
		}
	}
	return out, nil
}

// targets returns the jobs of the snapshots' children that exist, by id.
func (s *Store) targets(ctx context.Context, snapshots []snapshot) (map[int64]completer.Child, error) {
	targets := make(map[int64]completer.Child)
	for i := range snapshots {
		for _, c := range snapshots[i].children {
			targets[c.JobID] = completer.Child{}
		}
	}
	ids := slices.Collect(maps.Keys(targets))
	clear(targets)
	fields := func(c *completer.Child) []any {
		return []any{(*integer)(&c.JobID), (*integer)(&c.Version), (*integer)(&c.GroupID)}
	}
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		err := each(ctx, s.reader, fields, func(c *completer.Child) { targets[c.JobID] = *c },
			in(listTargets, len(args)), args...)
		if err != nil {
			return nil, err
		}
	}
	return targets, nil
}

// CommitCompletions carries out the completions in one transaction and says for
// each whether it took effect: its attempt must not be final, or for one that is
// Waiting its run must wait after that attempt. Children of the same parent run
// that exist already, and those whose job is gone, are left out. An outcome that
// is not final, or a move that a run cannot make, is Invalid.
func (s *Store) CommitCompletions(ctx context.Context, completions []completer.Completion) ([]bool, error) {
	if len(completions) == 0 {
		return nil, nil
	}
	for i := range completions {
		c := &completions[i]
		from := job.Running
		if c.Waiting {
			from = job.WaitingRetry
		}
		if !c.Outcome.Final() || !job.MayMove(from, c.RunState) || c.Waiting && !c.RunState.Final() {
			return nil, job.Errorf(job.Invalid, "attempt %d cannot end %q and leave its run %q",
				c.AttemptID, c.Outcome, c.RunState)
		}
	}
	done := make([]bool, len(completions))
	given := slices.Clone(completions)
	err := s.writer.update(ctx, func(t *tx) (err error) {
		copy(completions, given) // it may be done again, and a stop changes what ends
		var told []*completer.Completion
		for i := range completions {
			c := &completions[i]
			if done[i], err = s.complete(t, c); err != nil {
				return err
			}
			if done[i] && c.Told != nil {
				told = append(told, c)
			}
		}
		if err := t.tellEnds(told); err != nil {
			return err
		}
		if err := t.letGoAfter(completions, done); err != nil {
			return err
		}
		return t.countEnds(completions, done)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (s *Store) complete(t *tx, c *completer.Completion) (bool, error) {
	end := t.end
	if c.Waiting {
		end = t.giveUp
	}
	done, ended, err := end(c)
	if err != nil || !ended {
		return done, err
	}
	t.moved(c.RunID, c.RunState, c.AttemptID, c.Reason, c.Message)
	for i := range c.Children {
		if err := s.addOnce(t, c.Children[i]); err != nil {
			return false, err
		}
	}
	if err := t.endBroadcast(c); err != nil {
		return false, err
	}
	if c.Dead() {
		if err := t.bury(c.RunID); err != nil {
			return false, err
		}
	}
	return true, t.follow(c)
}

// end writes the end of the attempt and what it makes of its run. It reports
// whether the attempt took it, and whether the run did too.
func (t *tx) end(c *completer.Completion) (done, ended bool, err error) {
	at := job.Millis(c.EndedAt)
	var taken any // its outcome may be quicker than the note that it was accepted
	if c.Reported {
		taken = nullable(c.StartedAt)
	}
	done, err = t.one(endAttempt, string(c.Outcome), c.Message, at, taken, c.AttemptID)
	if err != nil || !done {
		return false, false, err
	}
	if err := t.owe(c, at); err != nil {
		return false, false, err
	}
	var retryAt, over any
	if c.RunState.Final() {
		over = at
	} else {
		retryAt = nullable(c.RetryAt)
	}
	ended, err = t.one(endRun, string(c.RunState), c.Message, reasonOf(c), retryAt, retryAt, over, c.Avoid,
		taken, c.RunID, c.AttemptID)
	if err == nil && !ended {
		ended, err = t.endStopped(c)
	}
	return err == nil, ended, err
}

// giveUp ends a run that waits for its next try.
func (t *tx) giveUp(c *completer.Completion) (done, ended bool, err error) {
	done, err = t.one(endWaiting, string(c.RunState), reasonOf(c), job.Millis(c.EndedAt), c.RunID, c.AttemptID)
	return done, done, err
}

// reasonOf returns the reason as an argument: an empty one is NULL.
func reasonOf(c *completer.Completion) any {
	if c.Reason == "" {
		return nil
	}
	return clean(c.Reason)
}
