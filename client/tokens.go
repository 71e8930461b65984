package client

import (
	"context"
	"net/http"

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
	err = c.call(ctx, http.MethodGet, path+"/tokens", nil, nil, &list)
	return list, err
}

// AddGroupToken makes a token for executors of the group. Its secret comes back
// this once.
func (c *Client) AddGroupToken(ctx context.Context, group, label string) (api.MadeGroupToken, error) {
	var made api.MadeGroupToken
	path, err := groupPath(group)
	if err != nil {
		return made, err
	}
	err = c.call(ctx, http.MethodPost, path+"/tokens", nil, api.NewGroupToken{Label: label}, &made)
	return made, err
}

// RemoveGroupToken removes a token of the group, or returns job.NotFound.
func (c *Client) RemoveGroupToken(ctx context.Context, group string, id api.ID) error {
	path, err := groupPath(group)
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodDelete, path+"/tokens/"+id.String(), nil, nil, nil)
}

// SetOwnTokenOnly says whether the group takes no tokens but its own. job.Conflict
// says that it has none.
func (c *Client) SetOwnTokenOnly(ctx context.Context, group string, only bool) (api.Group, error) {
	var g api.Group
	path, err := groupPath(group)
	if err != nil {
		return g, err
	}
	err = c.call(ctx, http.MethodPatch, path, nil, api.GroupPatch{OwnTokenOnly: &only}, &g)
	return g, err
}
