package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/orthd/orth/api"
)

// Drain drains the executor of a group at an address, or ends its drain, and returns its
// state afterwards. Kinds: job.NotFound when there is none, job.Conflict when its protocol
// has no such request.
func (c *Client) Drain(ctx context.Context, group, address string, on bool) (api.Draining, error) {
	var d api.Draining
	path, err := groupPath(group)
	if err != nil {
		return d, err
	}
	err = c.doRequest(ctx, http.MethodPut, path+"/addresses/drain", url.Values{"address": {address}}, api.Drain{On: on}, &d)
	return d, err
}
