package dispatcher

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// spread chooses the executors that the run is split over: all eligible ones, including
// those that the circuit breaker skips, which may have recovered when their shards are due.
func (d *Dispatcher) spread(it *waiting.HeldRun, t *turn) choice {
	if it.Homes = d.reachable(it, t); len(it.Homes) == 0 {
		return shelved
	}
	it.Address = ""
	return picked
}

// divide fills in the shards of the mark of a run that is split.
func (d *Dispatcher) divide(ctx context.Context, it *waiting.HeldRun, m *Mark) error {
	m.Part = !it.Run.Shard.IsZero() || it.Run.Cause == job.CauseTrial
	if !it.Splits() {
		return nil
	}
	total := it.Job.Shards
	if total <= 0 {
		total = len(it.Homes)
	}
	total = min(total, job.MaxShards)
	m.Reason = fmt.Sprintf("split into %s over %s", plural.Count(total, "shard"), plural.Count(len(it.Homes), "executor"))
	m.Shards = shardsOf(it, total, m.Attempt.TriggeredAt)
	for i := range m.Shards {
		var err error
		if m.Shards[i].ID, err = d.config.IDs.NextRunID(ctx); err != nil {
			return fmt.Errorf("draw a run id: %w", err)
		}
	}
	return nil
}

// shardsOf returns the shards of a run, without ids. They are assigned to the executors in
// turn, starting again with the first when there are more shards than executors. It is
// pure.
func shardsOf(it *waiting.HeldRun, total int, now time.Time) []job.Run {
	parent := &it.Run
	shards := make([]job.Run, total)
	for i := range shards {
		r := &shards[i]
		*r = job.Run{
			JobID: parent.JobID, JobVersion: parent.JobVersion, GroupID: it.Job.GroupID, PlannedAt: parent.PlannedAt,
			Cause: job.CauseShard, CauseID: parent.ID, Shard: job.Shard{Index: i, Total: total}, Home: it.Homes[i%len(it.Homes)],
			State: job.Queued, Reason: fmt.Sprintf("shard %d of %d of run %d", i, total, parent.ID), ReadyAt: now, DueAt: now,
			Param: parent.Param, Addresses: parent.Addresses, Priority: it.Job.Delivery.Priority, CreatedAt: now,
		}
		if after := it.Job.Delivery.ExpireAfter; after > 0 {
			r.ExpireAt = now.Add(after)
		}
	}
	return shards
}

// undivided returns the marked items without those that were split: their shards are now
// rows to claim at once.
func (d *Dispatcher) undivided(marked []*waiting.HeldRun, now time.Time) []*waiting.HeldRun {
	whole := marked[:0]
	for _, it := range marked {
		if !it.Splits() {
			whole = append(whole, it)
			continue
		}
		d.forget(it)
		d.WakeAt(now)
	}
	return whole
}
