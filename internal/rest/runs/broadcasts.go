package runs

import (
	"context"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Broadcasts answers about runs that were split into shards.
type Broadcasts interface {
	// Broadcast returns how far a run is, or NotFound when it was not split.
	Broadcast(ctx context.Context, run int64) (job.Broadcast, error)
	// Shards returns the shards of a run, in order of index.
	Shards(ctx context.Context, run int64) ([]job.ShardRun, error)
	// RetryShards makes a run that does the failed shards of another again.
	RetryShards(ctx context.Context, run int64) (job.Run, error)
}

type shardList struct{ Body api.ShardList }

func (s *runRoom) registerBroadcasts() {
	guard.Register(s.Guard, guard.Op{
		ID: "list-shards", Method: http.MethodGet, Path: "/runs/{id}/shards", Tags: []string{guard.TagRuns},
		Right: access.View, Scope: guard.OnRun, Class: guard.Reading,
		Summary: "List the shards of a run, in order of index",
	}, s.listShards)
	guard.Register(s.Guard, guard.Op{
		ID: "retry-shards", Method: http.MethodPost, Path: "/runs/{id}/shards/retry", Tags: []string{guard.TagRuns},
		Right: access.Operate, Scope: guard.OnRun, Class: guard.Writing, Status: http.StatusCreated,
		Summary: "Do the shards of a run again that failed, as a new run",
	}, s.retryShards)
}

func (s *runRoom) listShards(ctx context.Context, in *guard.RunPath) (*shardList, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	shards, err := s.config.Broadcasts.Shards(ctx, id)
	if err != nil {
		return nil, err
	}
	return &shardList{api.FromShards(shards)}, nil
}

func (s *runRoom) retryShards(ctx context.Context, in *guard.RunPath) (*guard.RunReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	r, err := s.config.Runs.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	if r.Param != nil {
		j, err := s.jobOfRun(ctx, &r)
		if err == nil {
			err = s.MayRepeat(ctx, &j, &r)
		}
		if err != nil {
			return nil, err
		}
	}
	return guard.ReplyRun(s.config.Broadcasts.RetryShards(ctx, id))
}

// shardsOf adds how far the shards of a run are. A run that has not been sent
// has none, and neither has a shard.
func (s *runRoom) shardsOf(ctx context.Context, r *api.Run) error {
	if r.Tries == 0 || r.Shard != nil {
		return nil
	}
	b, err := s.config.Broadcasts.Broadcast(ctx, int64(r.ID))
	switch {
	case job.Is(err, job.NotFound):
		return nil
	case err != nil:
		return err
	}
	shards := api.FromBroadcast(b)
	r.Shards = &shards
	return nil
}
