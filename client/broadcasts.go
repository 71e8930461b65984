package client

import (
	"context"
	"net/http"

	"github.com/orthd/orth/api"
)

// Shards returns the shards of a run, in order of index. A run that was not split
// is job.NotFound.
func (c *Client) Shards(ctx context.Context, run api.ID) ([]api.ShardRun, error) {
	var list api.ShardList
	err := c.doRequest(ctx, http.MethodGet, runPath(run)+"/shards", nil, nil, &list)
	return list.Shards, err
}

// RetryShards does the shards of a run again that failed, and returns the new run
// that does. It is job.Conflict when the run is not over, nothing of it failed, or
// they are done again already.
func (c *Client) RetryShards(ctx context.Context, run api.ID) (api.Run, error) {
	var again api.Run
	err := c.doOnce(ctx, runPath(run)+"/shards/retry", nil, nil, &again)
	return again, err
}
