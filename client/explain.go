package client

import (
	"context"
	"net/http"

	"github.com/orthd/orth/api"
)

// ExplainRun explains why a run exists, its course and its next step.
func (c *Client) ExplainRun(ctx context.Context, id api.ID) (api.Explanation, error) {
	var found api.Explanation
	err := c.doRequest(ctx, http.MethodGet, runPath(id)+"/explanation", nil, nil, &found)
	return found, err
}

// ExplainJob explains why a job did, did not or will run at a time: an instant such as
// "2030-01-31T02:00:00Z", or a time such as "2030-01-31 02:00" on the clock of the job's
// zone. With an empty time it explains the present state of the job.
func (c *Client) ExplainJob(ctx context.Context, key, at string) (api.Explanation, error) {
	var found api.Explanation
	path, err := jobPath(key)
	if err != nil {
		return found, err
	}
	query := c.space()
	setNonEmpty(query, "at", at)
	err = c.doRequest(ctx, http.MethodGet, path+"/explanation", query, nil, &found)
	return found, err
}
