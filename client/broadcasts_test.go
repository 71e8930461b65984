package client_test

import (
	"context"
	"testing"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

func (m *memory) Broadcast(_ context.Context, run int64) (job.Broadcast, error) {
	return job.Broadcast{}, job.Errorf(job.NotFound, "run %d was not split into shards", run)
}

// splitRun is the run of memory that was split into shards.
const splitRun = 71

func (m *memory) Shards(_ context.Context, run int64) ([]job.ShardRun, error) {
	if run != splitRun {
		return nil, job.Errorf(job.NotFound, "run %d was not split into shards", run)
	}
	return []job.ShardRun{
		{Run: job.Run{ID: 72, Cause: job.CauseShard, CauseID: 71, State: job.Failed, Shard: job.Shard{Index: 1, Total: 2}}, Address: "http://10.0.0.1:9999"},
	}, nil
}

func (m *memory) RetryShards(ctx context.Context, run int64) (job.Run, error) {
	if _, err := m.Shards(ctx, run); err != nil {
		return job.Run{}, err
	}
	return job.Run{ID: 80, Cause: job.CauseRetry, CauseID: run, State: job.Running}, nil
}

func TestShards(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	shards, err := c.Shards(t.Context(), 71)
	if err != nil || len(shards) != 1 {
		t.Fatalf("got %+v, %v", shards, err)
	}
	if s := shards[0]; s.ID != 72 || s.CauseID != 71 || s.Shard == nil || s.Shard.Index != 1 || s.Shard.Total != 2 || s.Address != "http://10.0.0.1:9999" {
		t.Errorf("the shard is %+v", s)
	}
	if again, err := c.RetryShards(t.Context(), 71); err != nil || again.ID != 80 || again.CauseID != 71 {
		t.Errorf("done again: %+v, %v", again, err)
	}
	if _, err := c.Shards(t.Context(), 7); !job.Is(err, job.NotFound) {
		t.Errorf("the shards of a run without: %v", err)
	}
	if _, err := c.RetryShards(t.Context(), 7); !job.Is(err, job.NotFound) {
		t.Errorf("those done again: %v", err)
	}
	if _, err := c.Runs(t.Context(), client.RunQuery{Shards: true}); err != nil {
		t.Errorf("runs with shards: %v", err)
	}
}
