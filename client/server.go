package client

import (
	"context"
	"net/http"

	"github.com/orthd/orth/api"
)

// Executors returns the executors that are alive, by group and address.
func (c *Client) Executors(ctx context.Context) ([]api.Executor, error) {
	var list api.ExecutorList
	err := c.call(ctx, http.MethodGet, prefix+"/executors", nil, nil, &list)
	return list.Executors, err
}

// Version returns the version of the server.
func (c *Client) Version(ctx context.Context) (string, error) {
	var version api.Version
	err := c.call(ctx, http.MethodGet, prefix+"/version", nil, nil, &version)
	return version.Version, err
}

// Healthy returns nil when the server is up. It needs no token.
func (c *Client) Healthy(ctx context.Context) error {
	return c.call(ctx, http.MethodGet, "/healthz", nil, nil, &api.Health{})
}
