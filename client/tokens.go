package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/orthd/orth/api"
)

// GroupTokens returns the tokens of a group, without their secrets, and whether it
// takes no others; or job.NotFound.
func (c *Client) GroupTokens(ctx context.Context, group string) (api.GroupTokenList, error) {
	var list api.GroupTokenList
	path, err := groupPath(group)
	if err != nil {
		return list, err
	}
	err = c.doRequest(ctx, http.MethodGet, path+"/tokens", nil, nil, &list)
	return list, err
}

// AddGroupToken creates a token for executors of the group, whose secret is returned only
// this once, or adds the token in wish. The error is job.Conflict when a group has that one
// already.
func (c *Client) AddGroupToken(ctx context.Context, group string, wish api.NewGroupToken) (api.MadeGroupToken, error) {
	var made api.MadeGroupToken
	path, err := groupPath(group)
	if err != nil {
		return made, err
	}
	err = c.doRequest(ctx, http.MethodPost, path+"/tokens", nil, wish, &made)
	return made, err
}

// RemoveGroupToken removes a token of the group, or returns job.NotFound, or
// job.Conflict while executors that are alive showed it last, unless it is forced.
func (c *Client) RemoveGroupToken(ctx context.Context, group string, id api.ID, force bool) error {
	path, err := groupPath(group)
	if err != nil {
		return err
	}
	query := make(url.Values)
	if force {
		query.Set("force", "true")
	}
	return c.doRequest(ctx, http.MethodDelete, path+"/tokens/"+id.String(), query, nil, nil)
}

// Warnings returns what must not stay as it is on the server, in sentences; none
// when all is well.
func (c *Client) Warnings(ctx context.Context) ([]string, error) {
	var list api.WarningList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/warnings", nil, nil, &list)
	return list.Warnings, err
}
