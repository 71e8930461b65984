package client

import (
	"context"
	"net/http"

	"github.com/orthd/orth/api"
)

// AddHistory keeps up to [api.MaxPast] runs of another scheduler with those of the job.
// Runs that are there already are passed over, so it may be called again.
func (c *Client) AddHistory(ctx context.Context, key string, past api.NewHistory) (api.HistoryTaken, error) {
	var taken api.HistoryTaken
	path, err := jobPath(key)
	if err != nil {
		return taken, err
	}
	err = c.doRequest(ctx, http.MethodPost, path+"/history", c.space(), past, &taken)
	return taken, err
}
