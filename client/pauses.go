package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// Pauses returns the pauses of all namespaces in order of key.
func (c *Client) Pauses(ctx context.Context) ([]api.Pause, error) {
	var list api.PauseList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/pauses", nil, nil, &list)
	return list.Pauses, err
}

// SavePause writes a pause over the one of its key, when there is one. Keys of
// pauses are unique among all namespaces; the client's does not matter.
func (c *Client) SavePause(ctx context.Context, key string, p api.NewPause) (api.Pause, error) {
	var saved api.Pause
	path, err := pausePath(key)
	if err != nil {
		return saved, err
	}
	err = c.doRequest(ctx, http.MethodPut, path, nil, p, &saved)
	return saved, err
}

// DeletePause lifts a pause, or returns job.NotFound. What it held back is
// decided on by the misfire policies of the jobs.
func (c *Client) DeletePause(ctx context.Context, key string) error {
	path, err := pausePath(key)
	if err != nil {
		return err
	}
	return c.doRequest(ctx, http.MethodDelete, path, nil, nil, nil)
}

// pausePath returns the path of a pause; a key that none can have goes nowhere.
func pausePath(key string) (string, error) {
	if err := job.CheckKey("key", key); err != nil {
		return "", err
	}
	return prefix + "/pauses/" + url.PathEscape(key), nil
}
