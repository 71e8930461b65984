package sqlstore

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/orthd/orth/job"
)

const (
	insertTrial = `INSERT INTO trials (run_id, job_id, made_at, timeout_ms, owner, by_kind, by_name, handler)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	// By trials_made, and the primary key of runs: those that may still be under way.
	countTrials = `SELECT COUNT(*), COALESCE(MAX(CASE WHEN t.job_id = ? AND t.owner = ? THEN t.run_id ELSE 0 END), 0)
		FROM trials t JOIN runs r ON r.id = t.run_id WHERE t.made_at > ? AND r.ended_at IS NULL`
	// By trials' primary key.
	listTrials = `SELECT run_id, job_id, by_kind, by_name, owner, timeout_ms, handler FROM trials WHERE run_id IN (%s)`
	// By trials' primary key.
	removeTrial = `DELETE FROM trials WHERE run_id = ?`
)

// trialLife is the maximum age of a trial that has not ended: it waits for an executor,
// runs, is ended by the server when its executor does not, and the server may send that to
// the executor several times.
const trialLife = time.Hour

// AddTrial writes a run and what it tries, as AddRun does. The run has its own end of
// waiting, whatever the job's is. Kinds: those of AddRun, Conflict when a trial of the
// same owner and job is under way, Full when too many of anybody's are.
func (s *Store) AddTrial(ctx context.Context, r job.Run, trial job.Trial) error {
	r.By = askedBy(ctx)
	handler := ""
	if trial.Handler != nil {
		var err error
		if handler, err = encode(trial.Handler); err != nil {
			return err
		}
	}
	version := r.JobVersion
	return s.writer.update(ctx, func(t *tx) error {
		found, err := t.target(&r)
		if err != nil {
			return err
		}
		if !found {
			return job.Errorf(job.NotFound, "job %d does not exist", r.JobID)
		}
		if err := meantFor(r.Param, version, r.JobVersion); err != nil {
			return err
		}
		if err := t.roomForTrial(&r, &trial); err != nil {
			return err
		}
		r.ExpireAt = dueAt(&r).Add(job.TrialPatience)
		t.names("run", "", "", strconv.FormatInt(r.ID, 10))
		t.made(&r)
		if err := t.do(insertRun, runArgs(&r)...); err != nil {
			return err
		}
		return t.do(insertTrial, r.ID, r.JobID, job.Millis(r.CreatedAt), whole(trial.Timeout), trial.Owner,
			trial.By.Kind, trial.By.Name, handler)
	})
}

// roomForTrial reports why another trial may not begin.
func (t *tx) roomForTrial(r *job.Run, trial *job.Trial) error {
	var open, own int64
	since := r.CreatedAt.Add(-trialLife).UnixMilli()
	if _, err := t.read(countTrials, []any{r.JobID, trial.Owner, since}, []any{&open, &own}); err != nil {
		return err
	}
	switch {
	case own != 0:
		wrong := job.Errorf(job.Conflict, "you are trying this job already: run %d is not over", own)
		wrong.Hint = "wait for it, or cancel it"
		return wrong
	case open >= job.MaxTrials:
		wrong := job.Errorf(job.Full, "%d trials are under way, and no more may be", open)
		wrong.Hint = "try again when one of them is over"
		return wrong
	}
	return nil
}

// Trials returns what those of the runs try that are trials, in no particular order.
func (s *Store) Trials(ctx context.Context, runs []int64) ([]job.Trial, error) {
	var all []job.Trial
	for chunk := range slices.Chunk(runs, maxIDs) {
		args := sized(chunk)
		take := func(r *trialRow) {
			t := r.Trial
			if r.handler.Kind != "" {
				own := r.handler
				t.Handler = &own
			}
			all = append(all, t)
		}
		if err := each(ctx, s.reader, trialFields, take, in(listTrials, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// trialRow is a trial as it is stored.
type trialRow struct {
	job.Trial
	handler job.Handler
}

func trialFields(r *trialRow) []any {
	return []any{
		(*integer)(&r.RunID), (*integer)(&r.JobID), (*text)(&r.By.Kind), (*text)(&r.By.Name), (*text)(&r.Owner),
		(*period)(&r.Timeout),
		document[job.Handler]{&r.handler},
	}
}
