package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/orthd/orth/api"
)

// Drain tells the executor of a group at an address to take no more tasks, or to
// take them again, and returns what holds then. job.NotFound says that there is
// none, job.Conflict that its protocol has no word for it.
func (c *Client) Drain(ctx context.Context, group, address string, on bool) (api.Draining, error) {
	var d api.Draining
	path, err := groupPath(group)
	if err != nil {
		return d, err
	}
	err = c.call(ctx, http.MethodPut, path+"/addresses/drain", url.Values{"address": {address}}, api.Drain{On: on}, &d)
	return d, err
}
