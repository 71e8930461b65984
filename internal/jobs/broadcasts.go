package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Broadcasts keeps runs that were split into shards.
type Broadcasts interface {
	BroadcastWriter
	BroadcastReader
}

// BroadcastWriter makes and cancels them.
type BroadcastWriter interface {
	// CancelBroadcast records that a user cancels the run, and why; its waiting shards are
	// cancelled at once. NotFound when it was not split.
	CancelBroadcast(ctx context.Context, run int64, reason string, now time.Time) (job.Broadcast, error)
	// AddBroadcast writes a run that is split at once, with its shards, whose
	// ids the caller has drawn. NotFound when the job does not exist, Conflict
	// when the firing exists, of [job.ErrBusy] when the job's overlap has no room
	// for it.
	AddBroadcast(ctx context.Context, r job.Run, shards []job.Run, deadline time.Duration) error
}

// BroadcastReader finds them.
type BroadcastReader interface {
	// Broadcast returns how far the run is, or NotFound when it was not split.
	Broadcast(ctx context.Context, run int64) (job.Broadcast, error)
	// Shards returns the shards of a run, in order of index.
	Shards(ctx context.Context, run int64) ([]job.ShardRun, error)
}

// How the end of a cancelled broadcast is waited for.
const (
	barrierWait  = time.Second
	barrierPause = 20 * time.Millisecond
)

// Broadcast returns how far a run that was split into shards is, or NotFound when
// it was not.
func (c *Catalog) Broadcast(ctx context.Context, run int64) (job.Broadcast, error) {
	return c.config.Broadcasts.Broadcast(ctx, run)
}

// Shards returns the shards of a run, in order of index, or NotFound when it was
// not split.
func (c *Catalog) Shards(ctx context.Context, run int64) ([]job.ShardRun, error) {
	if _, err := c.Run(ctx, run); err != nil {
		return nil, err
	}
	if _, err := c.Broadcast(ctx, run); err != nil {
		return nil, err
	}
	return c.config.Broadcasts.Shards(ctx, run)
}

// RetryShards makes a run that does the shards of another again that did not
// succeed, each with the index and the total that it had: they take over where
// that run left off. Kinds: NotFound when the run does not exist, was not split,
// or its job is gone; Conflict when it is not over, nothing of it failed, it is
// done again already, or, of [job.ErrBusy], as many runs of the job are under way
// as its overlap lets be: the shards start at once or not at all.
func (c *Catalog) RetryShards(ctx context.Context, run int64) (job.Run, error) {
	r, err := c.Run(ctx, run)
	if err != nil {
		return job.Run{}, err
	}
	b, err := c.Broadcast(ctx, run)
	if err != nil {
		return job.Run{}, err
	}
	all, err := c.config.Broadcasts.Shards(ctx, run)
	if err != nil {
		return job.Run{}, fmt.Errorf("read the shards of run %d: %w", run, err)
	}
	failed, err := failedShards(&r, &b, all)
	if err != nil {
		return job.Run{}, err
	}
	jobs, err := c.config.Reader.JobsByID(ctx, []int64{r.JobID})
	if err != nil {
		return job.Run{}, fmt.Errorf("read the job of run %d: %w", run, err)
	}
	if len(jobs) == 0 {
		gone := job.Errorf(job.NotFound, "the job of run %d was deleted: its shards cannot be done again", run)
		gone.Hint = "make a job like it, and trigger that"
		return job.Run{}, gone
	}
	again, shards, err := c.repeat(ctx, &r, failed, time.Now().UTC().Truncate(time.Millisecond))
	if err != nil {
		return job.Run{}, err
	}
	err = c.config.Broadcasts.AddBroadcast(ctx, again, shards, jobs[0].Delivery.Deadline)
	if errors.Is(err, job.ErrBusy) {
		busy := job.Errorf(job.Conflict, "the failed shards of run %d cannot be done again now: %w", run, err)
		busy.Hint = "wait for the end of what is under way, or cancel it, and ask again; 'orth run list --job " + r.JobKey + "' shows it"
		return job.Run{}, busy
	}
	if job.Is(err, job.Conflict) {
		twice := job.Errorf(job.Conflict, "the failed shards of run %d are done again already", run)
		twice.Hint = fmt.Sprintf("look for the run with the cause retry: orth run list --job %s; if it failed too, do its shards again", r.JobKey)
		return job.Run{}, twice
	}
	if err != nil {
		return job.Run{}, fmt.Errorf("do shards of run %d again: %w", run, err)
	}
	c.config.Hooks.Ready(again.CreatedAt)
	return c.Run(ctx, again.ID)
}

// failedShards returns the shards that are to be done again.
func failedShards(r *job.Run, b *job.Broadcast, all []job.ShardRun) ([]job.Run, error) {
	switch {
	case !r.State.Final() || b.Open > 0:
		open := job.Errorf(job.Conflict, "run %d is not over: %d of its %s %s open", r.ID, b.Open, plural.Count(b.Shards, "shard"), plural.Verb(b.Open, "is", "are"))
		open.Hint = "wait for its end, or cancel it"
		return nil, open
	case b.Failed == 0:
		return nil, job.Errorf(job.Conflict, "no shard of run %d failed: there is nothing to do again", r.ID)
	}
	var failed []job.Run
	for i := range all {
		if all[i].State.Final() && all[i].State != job.Succeeded {
			failed = append(failed, all[i].Run)
		}
	}
	if len(failed) < b.Failed {
		gone := job.Errorf(job.Conflict, "%s of run %d %s not kept any more", plural.Count(b.Failed-len(failed), "failed shard"), r.ID,
			plural.Verb(b.Failed-len(failed), "is", "are"))
		gone.Hint = "trigger the job: that does all shards"
		return nil, gone
	}
	return failed, nil
}

// repeat makes a run that does shards of another again, and its shards.
func (c *Catalog) repeat(ctx context.Context, r *job.Run, failed []job.Run, now time.Time) (job.Run, []job.Run, error) {
	id, err := c.config.IDs.NextRunID(ctx)
	if err != nil {
		return job.Run{}, nil, fmt.Errorf("draw a run id: %w", err)
	}
	again := job.Run{
		ID: id, JobID: r.JobID, PlannedAt: r.PlannedAt, Cause: job.CauseRetry, CauseID: r.ID, State: job.Queued,
		Reason:  fmt.Sprintf("does the %d failed shards of run %d again", len(failed), r.ID),
		ReadyAt: now, DueAt: now, Param: r.Param, Addresses: r.Addresses, CreatedAt: now,
	}
	if len(failed) == 1 {
		again.Reason = fmt.Sprintf("does the failed shard of run %d again", r.ID)
	}
	shards := make([]job.Run, len(failed))
	for i := range failed {
		shard, was := &shards[i], &failed[i]
		*shard = again
		shard.Cause, shard.CauseID, shard.Shard, shard.Home = job.CauseShard, id, was.Shard, was.Home
		shard.Reason = fmt.Sprintf("shard %s of run %d, which run %d did before", was.Shard, id, was.ID)
		if shard.ID, err = c.config.IDs.NextRunID(ctx); err != nil {
			return job.Run{}, nil, fmt.Errorf("draw a run id: %w", err)
		}
	}
	return again, shards, nil
}

// cancelBroadcast ends a run that was split and is not over: its shards that wait
// at once, the others as they can be. It reports whether the run is one.
func (c *Catalog) cancelBroadcast(ctx context.Context, id int64, reason string) (r job.Run, is bool, err error) {
	if _, err = c.Broadcast(ctx, id); job.Is(err, job.NotFound) {
		return r, false, nil
	}
	if err == nil {
		r, err = c.Run(ctx, id)
	}
	if err != nil || r.State.Final() {
		return r, false, err
	}
	if _, err := c.config.Broadcasts.CancelBroadcast(ctx, id, reason, time.Now()); err != nil {
		return r, true, fmt.Errorf("cancel the shards of run %d: %w", id, err)
	}
	c.config.Hooks.Broadcast()
	ctx, cancel := context.WithTimeout(ctx, barrierWait)
	defer cancel()
	for {
		now, err := c.Run(ctx, id)
		if err != nil { // the time is over
			return r, true, nil
		}
		if r = now; r.State.Final() {
			return r, true, nil
		}
		select {
		case <-time.After(barrierPause):
		case <-ctx.Done():
			return r, true, nil
		}
	}
}
