package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/orthd/orth/api"
)

// Groups returns a page of the groups of the namespace in order of key: those after
// one, which is empty for the first page, and at most limit, 100 for 0.
func (c *Client) Groups(ctx context.Context, after string, limit int) (api.GroupList, error) {
	return c.groups(ctx, c.space(), after, limit)
}

// GroupsOfAll is like [Client.Groups], for the groups of all namespaces that the caller
// may see.
func (c *Client) GroupsOfAll(ctx context.Context, after string, limit int) (api.GroupList, error) {
	return c.groups(ctx, make(url.Values), after, limit)
}

func (c *Client) groups(ctx context.Context, query url.Values, after string, limit int) (api.GroupList, error) {
	setNonEmpty(query, "after", after)
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	var list api.GroupList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/groups", query, nil, &list)
	return list, err
}

// Group returns a group of the namespace with what belongs to it, or job.NotFound.
func (c *Client) Group(ctx context.Context, key string) (api.GroupFigures, error) {
	var g api.GroupFigures
	path, err := groupPath(key)
	if err == nil {
		err = c.doRequest(ctx, http.MethodGet, path, c.ofGroups, nil, &g)
	}
	return g, err
}

// CreateGroup makes a group in the namespace. Kinds: Invalid with the field at fault,
// Conflict when the key is taken, in any namespace.
func (c *Client) CreateGroup(ctx context.Context, g api.NewGroup) (api.GroupFigures, error) {
	var made api.GroupFigures
	err := c.doOnce(ctx, prefix+"/groups", c.space(), g, &made)
	return made, err
}

// EditGroup changes the title and labels of a group of the namespace, its namespace, and
// whether it accepts only its own tokens: all fields of the patch or none. Kinds: Invalid
// with the field at fault, NotFound; Conflict when the group has another version than the
// patch, or would accept only its own tokens and has none.
func (c *Client) EditGroup(ctx context.Context, key string, patch api.GroupPatch) (api.Group, error) {
	var g api.Group
	path, err := groupPath(key)
	if err != nil {
		return g, err
	}
	err = c.doRequest(ctx, http.MethodPatch, path, c.ofGroups, patch, &g)
	return g, err
}

// DeleteGroup removes a group of the namespace that nothing belongs to any more. Kinds: NotFound,
// Conflict while something does.
func (c *Client) DeleteGroup(ctx context.Context, key string) error {
	path, err := groupPath(key)
	if err != nil {
		return err
	}
	return c.doRequest(ctx, http.MethodDelete, path, c.ofGroups, nil, nil)
}
