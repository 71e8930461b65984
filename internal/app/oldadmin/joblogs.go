package oldadmin

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/wire/xxladmin"
	"github.com/orthd/orth/job"
)

// LogFinder shows attempts as the old admins show their log, where who calls may see them.
type LogFinder struct {
	Logs   logPages
	Log    queries.AttemptLog
	Jobs   jobrows.JobReader
	Told   alerting.Outcomes
	Places guard.Places
}

// logPages reads the logs of runs.
type logPages interface {
	Log(ctx context.Context, run int64, q queries.LogQuery) (job.LogPage, error)
}

// List implements xxladmin.Attempts.
func (l LogFinder) List(ctx context.Context, q xxladmin.LogQuery) ([]xxladmin.LogRow, int, error) {
	ids, err := l.Log.AttemptIDs(ctx, queries.AttemptFilter{
		Sight: seeing(ctx), JobID: q.JobID, GroupID: q.Group, Standing: standingOf(q.Status), Since: q.Since, Until: q.Until, Limit: xxladmin.MaxLogCount,
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list attempts: %w", err)
	}
	from := min(max(q.Offset, 0), len(ids))
	rows, err := l.rows(ctx, ids[from:min(from+max(q.Limit, 0), len(ids))])
	return rows, len(ids), err
}

// standingOf returns how far attempts of a status are.
func standingOf(status xxladmin.LogStatus) queries.Standing {
	switch status {
	case xxladmin.LogSuccess:
		return queries.StandingGood
	case xxladmin.LogFailure:
		return queries.StandingBad
	case xxladmin.LogRunning:
		return queries.StandingOpen
	default:
		return queries.StandingAny
	}
}

// Row implements xxladmin.Attempts.
func (l LogFinder) Row(ctx context.Context, id int64) (xxladmin.LogRow, error) {
	on, err := l.Places.Place(ctx, "attempt", "", strconv.FormatInt(id, 10))
	if err != nil {
		return xxladmin.LogRow{}, err
	}
	if sight := seeing(ctx); !slices.ContainsFunc(on, sight.Sees) {
		return xxladmin.LogRow{}, job.Errorf(job.NotFound, "attempt %d does not exist", id)
	}
	rows, err := l.rows(ctx, []int64{id})
	if err == nil && (len(rows) == 0 || rows[0].Attempt.Broadcast()) {
		err = job.Errorf(job.NotFound, "attempt %d does not exist", id)
	}
	if err != nil {
		return xxladmin.LogRow{}, err
	}
	return rows[0], nil
}

// Lines implements xxladmin.Attempts.
func (l LogFinder) Lines(ctx context.Context, row *xxladmin.LogRow, from int) (job.LogPage, error) {
	return l.Logs.Log(ctx, row.Run.ID, queries.LogQuery{Attempt: row.Attempt.Number, From: from})
}

// rows returns the rows of attempts in the order of their ids' list, without those
// that are gone.
func (l LogFinder) rows(ctx context.Context, ids []int64) ([]xxladmin.LogRow, error) {
	tried, err := l.Log.Tried(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	byID := make(map[int64]*queries.Tried, len(tried))
	known := make(map[int64]job.Job)
	var jobIDs, ends []int64
	for i := range tried {
		t := &tried[i]
		byID[t.Attempt.ID] = t
		if _, seen := known[t.Run.JobID]; !seen {
			known[t.Run.JobID] = job.Job{}
			jobIDs = append(jobIDs, t.Run.JobID)
		}
		if ended(t) {
			ends = append(ends, subject(&t.Run))
		}
	}
	jobs, err := l.Jobs.JobsByID(ctx, jobIDs)
	if err != nil {
		return nil, fmt.Errorf("read the jobs of attempts: %w", err)
	}
	for i := range jobs {
		known[jobs[i].ID] = jobs[i]
	}
	var told map[int64]alerting.Outcome
	if len(ends) > 0 {
		if told, err = l.Told.AlarmOutcomes(ctx, ends); err != nil {
			return nil, fmt.Errorf("read what was told of runs: %w", err)
		}
	}
	rows := make([]xxladmin.LogRow, 0, len(ids))
	for _, id := range ids {
		if t := byID[id]; t != nil {
			t.Attempt.JobID = t.Run.JobID // also that of a trial, which executors know by another one
			rows = append(rows, xxladmin.LogRow{Attempt: t.Attempt, Run: t.Run, Job: known[t.Run.JobID], Telling: Telling(t, told)})
		}
	}
	return rows, nil
}

// ended reports whether the attempt was the last one of its run, and a bad one.
func ended(t *queries.Tried) bool {
	a := &t.Attempt
	return a.State.Final() && a.State != job.Succeeded && t.Run.State.Final() && t.Run.AttemptID == a.ID
}

// subject returns the run whose end is notified: for a shard, that of its whole broadcast.
func subject(r *job.Run) int64 {
	if r.Cause == job.CauseShard {
		return r.CauseID
	}
	return r.ID
}

// Telling returns the delivery status of the messages about an attempt.
func Telling(t *queries.Tried, told map[int64]alerting.Outcome) xxladmin.Telling {
	if !t.Attempt.State.Final() {
		return xxladmin.Telling{}
	}
	if !ended(t) {
		return xxladmin.Telling{Looked: true, Again: true}
	}
	about := told[subject(&t.Run)]
	return xxladmin.Telling{Looked: !about.Waiting, Messages: about.Messages}
}
