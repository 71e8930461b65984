package client

import (
	"context"
	"net/http"

	"github.com/orthd/orth/api"
)

// TryJob makes a run that tries the job, or code for it that is not saved: nothing
// follows from its end. Kinds: Invalid with the field at fault, Conflict while the
// caller is trying the job already, Full when too many trials are under way.
func (c *Client) TryJob(ctx context.Context, key string, wanted api.NewTrial) (api.Run, error) {
	path, err := jobPath(key)
	if err != nil {
		return api.Run{}, err
	}
	var run api.Run
	err = c.doOnce(ctx, path+"/trial", c.space(), wanted, &run)
	return run, err
}

// Trial returns what a run of the cause trial has tried, or job.NotFound.
func (c *Client) Trial(ctx context.Context, run api.ID) (api.Trial, error) {
	var t api.Trial
	err := c.doRequest(ctx, http.MethodGet, runPath(run)+"/trial", nil, nil, &t)
	return t, err
}
