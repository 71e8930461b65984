package sqlstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

const (
	// The next three by the primary key of runs, by runs_again, and by the primary keys of attempts and
	// runs, and those of jobs and executor_groups. The parameter is read only when one of the children
	// names it.
	snapshotsFirst = `SELECT ` + lastColumns + deciding + ` FROM runs r` + decided + ifFirst
	snapshotsAgain = `SELECT ` + lastColumns + deciding + ` FROM runs r` + decided + ifAgain
	snapshotsPast  = `SELECT ` + pastColumns + deciding + fromPast + decided + ifPast
	deciding       = `, ` + runColumns + `, j.tombstone, j.retry, j.children,
		j.after_ms, j.stop_after, j.failures, j.logs, CASE WHEN j.children LIKE '%%{{param}}%%' THEN CASE WHEN j.inputs = '[]' THEN j.param ELSE '{}' END ELSE '' END, ` + subjectColumns
	decided = ` JOIN jobs j ON j.id = r.job_id LEFT JOIN executor_groups g ON g.id = r.group_id WHERE `
	// By jobs' primary key.
	listTargets = `SELECT id, version, group_id FROM jobs WHERE id IN (%s) AND tombstone = 0`

	// By runs' primary key: the end of an attempt, and of its run. An empty reason leaves what is
	// there.
	endRun = `UPDATE runs SET state = ?, attempt_state = ?, ended_at = ?, log_text = ?, log_expires = ?, ` + endedAs + ifOpen
	// By runs' primary key: the end of an attempt whose run is to be retried.
	retryRun = `UPDATE runs SET state = ?, ready_at = ?, due_at = ?, ` + endedAs + ifOpen
	endedAs  = `message = ?, reason = COALESCE(?, reason), avoid = ?, accepted_at = COALESCE(accepted_at, ?),
		started_at = COALESCE(started_at, ?), ` + closeAttempt
	ifOpen = ` WHERE id = ? AND attempt_id = ? AND (state = 'dispatched' OR state = 'running')`
	// By the primary keys of runs and jobs.
	endRunKnown   = endRun + ifKnown
	retryRunKnown = retryRun + ifKnown
	ifKnown       = ` AND EXISTS (SELECT 1 FROM jobs j WHERE j.id = ? AND j.version = ? AND j.tombstone = 0)`
	// By runs' primary key. Exactly the runs that wait have a ready_at.
	endWaiting = `UPDATE runs SET state = ?, reason = COALESCE(?, reason), ready_at = NULL, ended_at = ?
		WHERE id = ? AND attempt_id = ? AND ready_at IS NOT NULL`
)

const (
	// By sequences' primary key. It changes nothing, and fails where nothing can be changed.
	touchNothing = `UPDATE sequences SET next = next WHERE name = ''`
	// The next two by runs' primary key and by runs_again, the last by attempts' primary key.
	findFirst = `SELECT id FROM runs WHERE id IN (%s) AND tries > 0 LIMIT 1`
	findAgain = `SELECT r.attempt_id FROM runs r WHERE ` + ifAgain + ` LIMIT 1`
	findPast  = `SELECT a.id FROM attempts a WHERE ` + ifPast + ` LIMIT 1`
)

// attemptSnapshots are what an outcome is decided by.
var attemptSnapshots = lookup{snapshotsFirst, snapshotsAgain, snapshotsPast}

// manyEnds is how many completions are worth a transaction of their own.
const manyEnds = 64

// The statements that are carried out for many at once.
var (
	endRuns    = batch{query: endRun, kinds: "ttititttiiii", key: 10}
	endKnown   = batch{query: endRunKnown, kinds: "ttititttiiiiii", key: 10}
	retryRuns  = batch{query: retryRun, kinds: "tiitttiiii", key: 8}
	retryKnown = batch{query: retryRunKnown, kinds: "tiitttiiiiii", key: 8}
	endWaits   = batch{query: endWaiting, kinds: "ttiii", key: 3}
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

// Snapshots returns the state of the attempts that exist, in no particular order. Children
// that were deleted are left out. An attempt is reported absent only where it could have
// been made: while the database takes no writes, or the readers do not see what the writer
// sees, the error is Unavailable.
func (s *Store) Snapshots(ctx context.Context, attempts []int64) ([]completer.Snapshot, error) {
	id := func(s *snapshot) int64 { return s.Attempt.ID }
	all, err := ofAttempts(ctx, s.reader, &attemptSnapshots, snapshotFields, id, attempts, maxWide)
	if err != nil {
		return nil, err
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

// reallyAbsent returns an error unless the attempts that were not found are absent for the
// writer too, which could have made them.
func (s *Store) reallyAbsent(ctx context.Context, attempts []int64, found []snapshot) error {
	absent := missing(attempts, found, func(s *snapshot) int64 { return s.Attempt.ID })
	if len(absent) == 0 {
		return nil
	}
	return s.writer.submit(ctx, func(t *tx) error { // no change that anybody wants
		if err := t.do(touchNothing); err != nil {
			return err
		}
		for chunk := range slices.Chunk(absent, maxWide) {
			args := sized(chunk)
			for _, query := range [...]string{findFirst, findAgain, findPast} {
				var id int64
				switch there, err := t.read(in(query, len(args)), args, []any{&id}); {
				case err != nil:
					return err
				case there:
					return job.Errorf(job.Unavailable, "the connections that read do not see attempt %d, which is there", id)
				}
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

// CommitCompletions carries out the completions in one transaction and reports for each
// whether it took effect: its attempt must not be final, or for one that is Waiting its run
// must wait after that attempt. Children of the same parent run that exist already, and
// those whose job is deleted, are left out. An outcome that is not final, or a move that a
// run cannot make, is Invalid.
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
		var withEvents []*completer.Completion
		for i := range completions {
			if c := &completions[i]; done[i] && c.Told != nil {
				withEvents = append(withEvents, c)
			}
		}
		if err := t.writeEndEvents(withEvents); err != nil {
			return err
		}
		t.countEnds(completions, done)
		return t.releaseAfter(completions, done)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// completeAll carries out the completions in order, and reports for each whether it took
// effect: successive completions of different attempts are written at once.
func (s *Store) completeAll(t *tx, completions []completer.Completion, done []bool) error {
	seen := make(map[int64]int, len(completions)) // where an attempt was named last, counted from 1
	for from := 0; from < len(completions); {
		to := from
		for to < len(completions) && completions[to].Waiting == completions[from].Waiting && seen[completions[to].AttemptID] <= from {
			to++
			seen[completions[to-1].AttemptID] = to
		}
		end := s.endAttempts
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
	return t.applyRunEnd(c)
}

// endAttempts writes the ends of attempts and the resulting states of their runs. It reports for
// each whether it was written; done and ended are the same here.
func (s *Store) endAttempts(t *tx, completions []completer.Completion, done, ended []bool) error {
	if err := t.endAll(completions, done); err != nil {
		return err
	}
	var of []int // whose logs are not in the rows of their runs
	var again, begun [][]any
	for i := range completions {
		c := &completions[i]
		stored := done[i] && logOfRun(c)
		if !done[i] {
			var err error
			if done[i], err = t.endStopped(c); err != nil {
				return err
			}
		}
		if !done[i] {
			continue
		}
		switch {
		case !stored:
			of = append(of, i)
		case time.Since(c.TriggeredAt) >= beginsAfter:
			begun = append(begun, wholeArgs(c))
		}
		if !c.RunState.Final() {
			again = append(again, []any{string(c.Outcome), job.Millis(c.EndedAt), c.Message, c.RunID, c.AttemptID})
		}
	}
	copy(ended, done)
	if err := t.doAll(&wholeLogs, begun); err != nil {
		return err
	}
	if err := s.keepOrOwe(t, completions, of); err != nil {
		return err
	}
	return t.again(again)
}

// endAll ends the attempts of completions, except those of runs that are stopping, and
// reports for each whether it did: those that were decided from memory only while their
// jobs are what they were then.
func (t *tx) endAll(completions []completer.Completion, done []bool) error {
	parts := [...]struct {
		batch *batch
		rows  [][]any
		of    []int
	}{{batch: &endRuns}, {batch: &endKnown}, {batch: &retryRuns}, {batch: &retryKnown}}
	for i := range completions {
		c := &completions[i]
		row, which := endArgs(c), 0
		if c.JobVersion != 0 {
			row, which = append(row, c.JobID, c.JobVersion), 1
		}
		if !c.RunState.Final() {
			which += 2
		}
		part := &parts[which]
		part.rows, part.of = append(part.rows, row), append(part.of, i)
	}
	for i := range parts {
		part := &parts[i]
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

// endArgs returns the arguments of endRun, and those of retryRun for a run that is to be tried
// again.
func endArgs(c *completer.Completion) []any {
	args := make([]any, 0, 14)
	if c.RunState.Final() {
		args = append(args, string(c.RunState), ownState(c), job.Millis(c.EndedAt), nil, nil)
		if logOfRun(c) {
			args[3], args[4] = wholeText(c.Log), expiryOf(c)
		}
	} else {
		at := nullable(c.RetryAt)
		args = append(args, string(c.RunState), at, at)
	}
	taken := takenAt(c)
	return append(args, c.Message, reasonOf(c), c.Avoid, taken, taken, c.RunID, c.AttemptID)
}

// logOfRun reports whether the log that came with a completion is stored in the row of its run: it
// is that of the first attempt, whose id the run has, and ends the run.
func logOfRun(c *completer.Completion) bool {
	return c.Log != nil && c.AttemptID == c.RunID && c.RunState.Final()
}

// ownState returns the state of an attempt that ends as its run does not; nil if it ends as
// that.
func ownState(c *completer.Completion) any {
	if c.Outcome == c.RunState {
		return nil
	}
	return string(c.Outcome)
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
