package resttest

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Broadcast implements Broadcasts.
func (f *Fake) Broadcast(_ context.Context, run int64) (job.Broadcast, error) {
	if run != StoredRun().ID {
		return job.Broadcast{}, job.Errorf(job.NotFound, "run %d was not split into shards", run)
	}
	return job.Broadcast{RunID: run, Total: 8, Shards: 3, Open: 1, Failed: 1, Cancel: "wrong day"}, f.Note("broadcast %d", run)
}

// Shards implements Broadcasts.
func (f *Fake) Shards(_ context.Context, run int64) ([]job.ShardRun, error) {
	r := StoredRun()
	r.Cause, r.CauseID, r.Shard = job.CauseShard, run, job.Shard{Index: 2, Total: 8}
	return []job.ShardRun{{Run: r, Address: "http://10.0.0.1:9999"}}, f.Note("shards %d", run)
}

// RetryShards implements Broadcasts.
func (f *Fake) RetryShards(_ context.Context, run int64) (job.Run, error) {
	r := StoredRun()
	r.Cause, r.CauseID = job.CauseRetry, run
	return r, f.Note("retry the shards of %d", run)
}

// Clean implements Cleaner.
func (f *Fake) Clean(_ context.Context, jobID int64, what job.Cleaning, dry bool) (int, bool, error) {
	age := time.Duration(0)
	if !what.Before.IsZero() {
		age = time.Since(what.Before).Round(time.Hour)
	}
	return 3, !dry, f.Note("clean job %d: older than %s, keep %d, dry %t", jobID, age, what.Keep, dry)
}
