package app

import (
	"context"
	"fmt"
	"strconv"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/alarm"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// jobLogs shows attempts as the old admins show their log.
type jobLogs struct {
	catalog *catalog.Catalog
	log     catalog.AttemptLog
	jobs    catalog.JobReader
	told    alarm.Told
	pruner  *upkeep.Pruner
	ledger  rest.Concluder
}

// List implements xxl.Attempts.
func (l jobLogs) List(ctx context.Context, q xxl.LogQuery) ([]xxl.LogRow, int, error) {
	ids, err := l.log.AttemptIDs(ctx, catalog.AttemptFilter{
		JobID: q.JobID, GroupID: q.Group, Standing: standingOf(q.Status), Since: q.Since, Until: q.Until, Limit: xxl.MaxLogCount,
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list attempts: %w", err)
	}
	from := min(max(q.Offset, 0), len(ids))
	rows, err := l.rows(ctx, ids[from:min(from+max(q.Limit, 0), len(ids))])
	return rows, len(ids), err
}

// standingOf returns how far attempts of a status are.
func standingOf(status xxl.LogStatus) catalog.Standing {
	switch status {
	case xxl.LogSuccess:
		return catalog.StandingGood
	case xxl.LogFailure:
		return catalog.StandingBad
	case xxl.LogRunning:
		return catalog.StandingOpen
	default:
		return catalog.StandingAny
	}
}

// Row implements xxl.Attempts.
func (l jobLogs) Row(ctx context.Context, id int64) (xxl.LogRow, error) {
	rows, err := l.rows(ctx, []int64{id})
	if err == nil && (len(rows) == 0 || rows[0].Attempt.Broadcast()) {
		err = job.Errorf(job.NotFound, "attempt %d does not exist", id)
	}
	if err != nil {
		return xxl.LogRow{}, err
	}
	return rows[0], nil
}

// Lines implements xxl.Attempts.
func (l jobLogs) Lines(ctx context.Context, row *xxl.LogRow, from int) (job.LogPage, error) {
	return l.catalog.Log(ctx, row.Run.ID, catalog.LogQuery{Attempt: row.Attempt.Number, From: from})
}

// Kill implements xxl.LogChanges.
func (l jobLogs) Kill(ctx context.Context, row *xxl.LogRow, reason string) error {
	ctx = rootAsks(ctx, "cancel-run", access.Operate, intent.Object{
		Kind: "run", Namespace: row.Job.Namespace, Group: row.Job.Group, Key: strconv.FormatInt(row.Run.ID, 10),
	})
	if _, err := l.catalog.CancelRun(ctx, row.Run.ID, reason); err != nil {
		return err
	}
	return l.ledger.Conclude(ctx, true)
}

// Clean implements xxl.LogChanges.
func (l jobLogs) Clean(ctx context.Context, jobID, group int64, what job.Cleaning) (bool, error) {
	jobs, err := l.jobs.JobsByID(ctx, []int64{jobID})
	switch {
	case err != nil:
		return false, fmt.Errorf("read job %d: %w", jobID, err)
	case len(jobs) == 0 || group != 0 && jobs[0].GroupID != group:
		return false, job.Errorf(job.NotFound, "group %d has no job %d", group, jobID)
	}
	ctx = rootAsks(ctx, "clean-runs", access.Edit, intent.Object{Kind: "job", Namespace: jobs[0].Namespace, Group: jobs[0].Group, Key: jobs[0].Key})
	_, more, err := l.pruner.Clean(ctx, jobID, what, false)
	if err != nil {
		return more, err
	}
	return more, l.ledger.Conclude(ctx, true)
}

// rows returns the rows of attempts in the order of their ids' list, without those
// that are gone.
func (l jobLogs) rows(ctx context.Context, ids []int64) ([]xxl.LogRow, error) {
	tried, err := l.log.Tried(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	byID := make(map[int64]*catalog.Tried, len(tried))
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
	jobs, err := l.jobs.JobsByID(ctx, jobIDs)
	if err != nil {
		return nil, fmt.Errorf("read the jobs of attempts: %w", err)
	}
	for i := range jobs {
		known[jobs[i].ID] = jobs[i]
	}
	var told map[int64]alarm.Telling
	if len(ends) > 0 {
		if told, err = l.told.Told(ctx, ends); err != nil {
			return nil, fmt.Errorf("read what was told of runs: %w", err)
		}
	}
	rows := make([]xxl.LogRow, 0, len(ids))
	for _, id := range ids {
		if t := byID[id]; t != nil {
			t.Attempt.JobID = t.Run.JobID // also that of a trial, which executors know by another one
			rows = append(rows, xxl.LogRow{Attempt: t.Attempt, Run: t.Run, Job: known[t.Run.JobID], Telling: telling(t, told)})
		}
	}
	return rows, nil
}

// ended reports whether the attempt was the last one of its run, and a bad one.
func ended(t *catalog.Tried) bool {
	a := &t.Attempt
	return a.State.Final() && a.State != job.Succeeded && t.Run.State.Final() && t.Run.AttemptID == a.ID
}

// subject returns the run whose end is told: of a shard, that of its whole broadcast.
func subject(r *job.Run) int64 {
	if r.Cause == job.CauseShard {
		return r.CauseID
	}
	return r.ID
}

// telling returns what became of the messages about an attempt.
func telling(t *catalog.Tried, told map[int64]alarm.Telling) xxl.Telling {
	if !t.Attempt.State.Final() {
		return xxl.Telling{}
	}
	if !ended(t) {
		return xxl.Telling{Looked: true, Again: true}
	}
	about := told[subject(&t.Run)]
	return xxl.Telling{Looked: !about.Waiting, Messages: about.Messages}
}
