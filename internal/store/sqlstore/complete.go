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
	// By the primary keys of attempts, runs and jobs.
	listSnapshots = `SELECT ` + attemptColumns + `, ` + runColumns + `, j.tombstone, j.retry, j.children,
		j.after_ms, j.stop_after, j.failures
		FROM attempts a JOIN runs r ON r.id = a.run_id JOIN jobs j ON j.id = r.job_id WHERE a.id IN (%s)`
	// By jobs' primary key.
	listTargets = `SELECT id, version, group_id FROM jobs WHERE id IN (%s) AND tombstone = 0`

	// By attempts' primary key. Exactly the attempts that are not final have
	// an open_on.
	endAttempt = `UPDATE attempts SET state = ?, message = ?, ended_at = ?, check_at = NULL, open_on = NULL
		WHERE id = ? AND open_on IS NOT NULL`
	// By runs' primary key. An empty reason leaves what is there.
	endRun = `UPDATE runs SET state = ?, message = ?, reason = COALESCE(?, reason), ready_at = ?,
		due_at = COALESCE(?, due_at), ended_at = ?, avoid = ?
		WHERE id = ? AND attempt_id = ? AND (state = 'dispatched' OR state = 'running')`
)

// snapshot is a Snapshot with the ids of the children.
type snapshot struct {
	completer.Snapshot
	tombstone int64
	children  []int64
}

func snapshotFields(s *snapshot) []any {
	fields := append(attemptFields(&s.Attempt), runFields(&s.Run)...)
	return append(fields, (*integer)(&s.tombstone), document[retry.Policy]{&s.Retry}, document[[]int64]{&s.children},
		(*period)(&s.After), (*count)(&s.StopAfter), (*count)(&s.Failures))
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
		for _, id := range all[i].children {
			if child, ok := targets[id]; ok {
				out[i].Children = append(out[i].Children, child)
			}
		}
	}
	return out, nil
}

// targets returns the children of the snapshots that exist, by id.
func (s *Store) targets(ctx context.Context, snapshots []snapshot) (map[int64]completer.Child, error) {
	targets := make(map[int64]completer.Child)
	for i := range snapshots {
		for _, id := range snapshots[i].children {
			targets[id] = completer.Child{}
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
// each whether it took effect: its attempt must not be final. Children of the
// same parent run that exist already, and those whose job is gone, are left out.
// An outcome that is not final, or a move that a run cannot make, is Invalid.
func (s *Store) CommitCompletions(ctx context.Context, completions []completer.Completion) ([]bool, error) {
	if len(completions) == 0 {
		return nil, nil
	}
	for i := range completions {
		c := &completions[i]
		if !c.Outcome.Final() || !job.MayMove(job.Running, c.RunState) {
			return nil, job.Errorf(job.Invalid, "attempt %d cannot end %q and leave its run %q",
				c.AttemptID, c.Outcome, c.RunState)
		}
	}
	done := make([]bool, len(completions))
	err := s.writer.update(ctx, func(t *tx) (err error) {
		for i := range completions {
			if done[i], err = s.complete(t, &completions[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (s *Store) complete(t *tx, c *completer.Completion) (bool, error) {
	ended := job.Millis(c.EndedAt)
	ok, err := t.one(endAttempt, string(c.Outcome), c.Message, ended, c.AttemptID)
	if err != nil || !ok {
		return false, err
	}
	var reason, retryAt, over any
	if c.Reason != "" {
		reason = clean(c.Reason)
	}
	if c.RunState.Final() {
		over = ended
	} else {
		retryAt = nullable(c.RetryAt)
	}
	ok, err = t.one(endRun, string(c.RunState), c.Message, reason, retryAt, retryAt, over, c.Avoid,
		c.RunID, c.AttemptID)
	if err != nil || !ok {
		return err == nil, err
	}
	for i := range c.Children {
		if err := s.addOnce(t, c.Children[i]); err != nil {
			return false, err
		}
	}
	return true, t.follow(c)
}
