package client

import (
	"context"
	"net/http"

	"github.com/orthd/orth/api"
)

// CleanRuns removes runs of a job before their time, at most 10,000 a call: More is set
// when another call is needed. Kinds: job.NotFound, job.Invalid.
func (c *Client) CleanRuns(ctx context.Context, what api.Clean) (api.Cleaned, error) {
	var cleaned api.Cleaned
	err := c.doRequest(ctx, http.MethodPost, prefix+"/runs/clean", nil, what, &cleaned)
	return cleaned, err
}
