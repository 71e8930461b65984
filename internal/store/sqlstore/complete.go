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
		j.after_ms, j.stop_after, j.failures, j.logs, CASE WHEN j.children LIKE '%%{{param}}%%' THEN CASE WHEN j.inputs = '[]' THEN j.param ELSE '{}' END ELSE '' END, ` + subjectColumns + `
		FROM attempts a JOIN runs r ON r.id = a.run_id JOIN jobs j ON j.id = r.job_id
		LEFT JOIN executor_groups g ON g.id = r.group_id WHERE a.id IN (%s)`
	// By jobs' primary key.
	listTargets = `SELECT id, version, group_id FROM jobs WHERE id IN (%s) AND tombstone = 0`

	// By attempts' primary key. Exactly the attempts that are not final have
	// an open_on.
	endAttempt = `UPDATE attempts SET state = ?, message = ?, ended_at = ?, check_at = NULL, open_on = NULL,
		open_job = NULL, accepted_at = COALESCE(accepted_at, ?) WHERE id = ? AND open_on IS NOT NULL`
	// By the primary keys of attempts and jobs.
	endKnownAttempt = endAttempt + ` AND EXISTS (SELECT 1 FROM jobs j WHERE j.id = ? AND j.version = ? AND j.tombstone = 0)`
	// By runs' primary key. An empty reason leaves what is there.
	endRun = `UPDATE runs SET state = ?, message = ?, reason = COALESCE(?, reason), ready_at = ?,
		due_at = COALESCE(?, due_at), ended_at = ?, avoid = ?, started_at = COALESCE(started_at, ?)
		WHERE id = ? AND attempt_id = ? AND (state = 'dispatched' OR state = 'running')`
	// By runs' primary key. Exactly the runs that wait have a ready_at.
	endWaiting = `UPDATE runs SET state = ?, reason = COALESCE(?, reason), ready_at = NULL, ended_at = ?
		WHERE id = ? AND attempt_id = ? AND ready_at IS NOT NULL`
)

const (
	// By sequences' primary key. It changes nothing, and fails where nothing can be changed.
	touchNothing = `UPDATE sequences SET next = next WHERE name = ''`
	// By attempts' primary key.
	findAttempt = `SELECT id FROM attempts WHERE id IN (%s) LIMIT 1`
)

// manyEnds is how many completions are worth a transaction of their own.
const manyEnds = 64

// The statements that are carried out for many at once.
var (
	endAttempts = batch{query: endAttempt, kinds: "ttiii", key: 4}
	endKnown    = batch{query: endKnownAttempt, kinds: "ttiiiii", key: 4}
	endRuns     = batch{query: endRun, kinds: "tttiiitiii", key: 8}
	endWaits    = batch{query: endWaiting, kinds: "ttiii", key: 3}
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
		(*period)(&s.After), (*count)(&s.StopAfter), (*count)(&s.Failures), document[job.LogPolicy]{&s.Logs}, (*text)(&s.Param))
	return append(fields, subjectFields(&s.Subject)...)
}

// Snapshots returns what is known of the attempts that exist, in no particular
// order. Children that were deleted are left out. That an attempt does not exist is said
// only where it could have been made: while the database takes no writes, or the readers
// do not see what the writer sees, the error is Unavailable.
func (s *Store) Snapshots(ctx context.Context, attempts []int64) ([]completer.Snapshot, error) {
	all := make([]snapshot, 0, len(attempts))
	for chunk := range slices.Chunk(attempts, maxWide) {
		args := sized(chunk)
		err := each(ctx, s.reader, snapshotFields, func(row *snapshot) { all = append(all, *row) },
			in(listSnapshots, len(args)), args...)
		if err != nil {
			return nil, err
		}
	}
	if err := s.reallyAbsent(ctx, attempts, all); err != nil {
		return nil, err
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

// reallyAbsent returns an error unless the attempts that were not found are not there for
// the writer either, who could have made them.
func (s *Store) reallyAbsent(ctx context.Context, attempts []int64, found []snapshot) error {
	seen := make(map[int64]bool, len(found))
	for i := range found {
		seen[found[i].Attempt.ID] = true
	}
	var absent []int64
	for _, id := range attempts {
		if !seen[id] {
			absent = append(absent, id)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	return s.writer.submit(ctx, func(t *tx) error { // no change that anybody wants
		if err := t.do(touchNothing); err != nil {
			return err
		}
		for chunk := range slices.Chunk(absent, maxWide) {
			var id int64
			args := sized(chunk)
			switch there, err := t.read(in(findAttempt, len(args)), args, []any{&id}); {
			case err != nil:
				return err
			case there:
				return job.Errorf(job.Unavailable, "the connections that read do not see attempt %d, which is there", id)
			}
		}
		return nil
	})
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
	update := s.writer.update
	if len(completions) < manyEnds {
		update = s.writer.updatePatiently
	}
	err := update(ctx, func(t *tx) error {
		clear(done)
		copy(completions, given) // it may be done again, and a stop changes what ends
		if err := s.completeAll(t, completions, done); err != nil {
			return err
		}
		var told []*completer.Completion
		for i := range completions {
			if c := &completions[i]; done[i] && c.Told != nil {
				told = append(told, c)
			}
		}
		if err := t.tellEnds(told); err != nil {
			return err
		}
		t.countEnds(completions, done)
		return t.letGoAfter(completions, done)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// completeAll carries out the completions in order, and says of each whether it took
// effect: those of attempts one after another at once.
func (s *Store) completeAll(t *tx, completions []completer.Completion, done []bool) error {
	for from := 0; from < len(completions); {
		to := from + 1
		for to < len(completions) && completions[to].Waiting == completions[from].Waiting {
			to++
		}
		end := s.end
		if completions[from].Waiting {
			end = s.giveUp
		}
		ended := make([]bool, to-from)
		if err := end(t, completions[from:to], done[from:to], ended); err != nil {
			return err
		}
		for i := range ended {
			if !ended[i] {
				continue
			}
			if err := s.overAfter(t, &completions[from+i]); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// overAfter does what follows from the end of a run, or of one of its attempts.
func (s *Store) overAfter(t *tx, c *completer.Completion) error {
	t.moved(c.RunID, c.RunState, c.AttemptID, c.Reason, c.Message)
	for i := range c.Children {
		if err := s.addOnce(t, c.Children[i]); err != nil {
			return err
		}
	}
	if err := t.endBroadcast(c); err != nil {
		return err
	}
	if c.Dead() {
		if err := t.bury(c.RunID); err != nil {
			return err
		}
	}
	return t.follow(c)
}

// end writes the ends of attempts and what they make of their runs. It says of each
// whether the attempt took it, and whether the run did too.
func (s *Store) end(t *tx, completions []completer.Completion, done, ended []bool) error {
	if err := t.endAttempts(completions, done); err != nil {
		return err
	}
	var runs [][]any
	var of []int
	for i := range completions {
		c := &completions[i]
		if !done[i] {
			continue
		}
		var retryAt, over any
		if c.RunState.Final() {
			over = job.Millis(c.EndedAt)
		} else {
			retryAt = nullable(c.RetryAt)
		}
		of = append(of, i)
		runs = append(runs, []any{
			string(c.RunState), c.Message, reasonOf(c), retryAt, retryAt, over, c.Avoid, takenAt(c), c.RunID, c.AttemptID,
		})
	}
	if err := s.keepOrOwe(t, completions, of); err != nil {
		return err
	}
	took, err := t.each(&endRuns, runs)
	if err != nil {
		return err
	}
	for n, i := range of {
		if ended[i] = took[n]; !ended[i] {
			if ended[i], err = t.endStopped(&completions[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// endAttempts ends the attempts of completions and says of each whether it did: those that
// were decided from memory only while their jobs are what they were then.
func (t *tx) endAttempts(completions []completer.Completion, done []bool) error {
	var read, known [][]any
	var ofRead, ofKnown []int
	for i := range completions {
		c := &completions[i]
		row := []any{string(c.Outcome), c.Message, job.Millis(c.EndedAt), takenAt(c), c.AttemptID}
		if c.JobVersion == 0 {
			read, ofRead = append(read, row), append(ofRead, i)
		} else {
			known, ofKnown = append(known, append(row, c.JobID, c.JobVersion)), append(ofKnown, i)
		}
	}
	for _, part := range []struct {
		batch *batch
		rows  [][]any
		of    []int
	}{{&endAttempts, read, ofRead}, {&endKnown, known, ofKnown}} {
		took, err := t.each(part.batch, part.rows)
		if err != nil {
			return err
		}
		for n, i := range part.of {
			done[i] = took[n]
		}
	}
	return nil
}

// takenAt returns when the attempt of a completion was accepted, as far as that is known:
// its outcome may be quicker than the note about it.
func takenAt(c *completer.Completion) any {
	if !c.Reported {
		return nil
	}
	return nullable(c.StartedAt)
}

// giveUp ends runs that wait for their next try.
func (*Store) giveUp(t *tx, completions []completer.Completion, done, ended []bool) error {
	rows := make([][]any, len(completions))
	for i := range completions {
		c := &completions[i]
		rows[i] = []any{string(c.RunState), reasonOf(c), job.Millis(c.EndedAt), c.RunID, c.AttemptID}
	}
	took, err := t.each(&endWaits, rows)
	copy(done, took)
	copy(ended, took)
	return err
}

// reasonOf returns the reason as an argument: an empty one is NULL.
func reasonOf(c *completer.Completion) any {
	if c.Reason == "" {
		return nil
	}
	return clean(c.Reason)
}
