package dispatcher

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/job"
)

// splits reports whether the run is to be split into shards.
func (it *item) splits() bool { return it.job.Route == job.RouteBroadcast && it.run.Shard.IsZero() }

// request returns the request for the item's route, and the route. A shard keeps to its
// place even if its job has another route by now.
func (it *item) request() (route.Request, job.Route) {
	r := route.Request{JobID: it.job.ID}
	if it.run.Shard.IsZero() {
		return r, it.job.Route
	}
	r.Shard, r.Try = it.run.Shard.Index, it.run.Tries
	if it.run.Tries == 0 {
		r.Home = it.run.Home
	}
	return r, job.RouteBroadcast
}

// spread chooses the executors that the run is split over: all eligible ones, including
// those that the circuit breaker skips, which may have recovered when their shards are due.
func (d *Dispatcher) spread(it *item, t *turn) choice {
	if it.homes = d.reachable(it, t); len(it.homes) == 0 {
		return shelved
	}
	it.address = ""
	return picked
}

// divide fills in the shards of the mark of a run that is split.
func (d *Dispatcher) divide(ctx context.Context, it *item, m *Mark) error {
	m.Part = !it.run.Shard.IsZero() || it.run.Cause == job.CauseTrial
	if !it.splits() {
		return nil
	}
	total := it.job.Shards
	if total <= 0 {
		total = len(it.homes)
	}
	total = min(total, job.MaxShards)
	m.Reason = fmt.Sprintf("split into %s over %s", plural.Count(total, "shard"), plural.Count(len(it.homes), "executor"))
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
func shardsOf(it *item, total int, now time.Time) []job.Run {
	parent := &it.run
	shards := make([]job.Run, total)
	for i := range shards {
		r := &shards[i]
		*r = job.Run{
			JobID: parent.JobID, JobVersion: parent.JobVersion, GroupID: it.job.GroupID, PlannedAt: parent.PlannedAt,
			Cause: job.CauseShard, CauseID: parent.ID, Shard: job.Shard{Index: i, Total: total}, Home: it.homes[i%len(it.homes)],
			State: job.Queued, Reason: fmt.Sprintf("shard %d of %d of run %d", i, total, parent.ID), ReadyAt: now, DueAt: now,
			Param: parent.Param, Addresses: parent.Addresses, Priority: it.job.Delivery.Priority, CreatedAt: now,
		}
		if after := it.job.Delivery.ExpireAfter; after > 0 {
			r.ExpireAt = now.Add(after)
		}
	}
	return shards
}

// undivided returns the marked items without those that were split: their shards are now
// rows to claim at once.
func (d *Dispatcher) undivided(marked []*item, now time.Time) []*item {
	whole := marked[:0]
	for _, it := range marked {
		if !it.splits() {
			whole = append(whole, it)
			continue
		}
		d.forget(it)
		d.WakeAt(now)
	}
	return whole
}
