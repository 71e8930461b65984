package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// Executors returns the executors that are alive and those that were entered by
// hand, of the groups of all namespaces that the caller may see, by group and address.
func (c *Client) Executors(ctx context.Context) ([]api.Executor, error) {
	return c.ExecutorsOf(ctx, "")
}

// ExecutorsOf is like [Client.Executors], for the groups of a namespace; empty means all.
func (c *Client) ExecutorsOf(ctx context.Context, namespace string) ([]api.Executor, error) {
	return c.ExecutorsOfKind(ctx, namespace, "")
}

// ExecutorsOfKind is like [Client.ExecutorsOf], for executors that send facts of a kind;
// empty means all.
func (c *Client) ExecutorsOfKind(ctx context.Context, namespace, kind string) ([]api.Executor, error) {
	query := make(url.Values)
	setNonEmpty(query, "namespace", namespace)
	setNonEmpty(query, "kind", kind)
	var list api.ExecutorList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/executors", query, nil, &list)
	return list.Executors, err
}

// ExecutorFacts returns the facts of the executor of a group at an address. The error is
// job.NotFound when it sends none, or there is no such executor.
func (c *Client) ExecutorFacts(ctx context.Context, group, address string) (api.ExecutorFacts, error) {
	var facts api.ExecutorFacts
	path, err := groupPath(group)
	if err != nil {
		return facts, err
	}
	err = c.doRequest(ctx, http.MethodGet, path+"/addresses/facts", url.Values{"address": {address}}, nil, &facts)
	return facts, err
}

// GroupHandlers returns what the living executors of a group can run. Kinds: NotFound when
// there is no such group.
func (c *Client) GroupHandlers(ctx context.Context, group string) (api.GroupHandlers, error) {
	var found api.GroupHandlers
	path, err := groupPath(group)
	if err != nil {
		return found, err
	}
	err = c.doRequest(ctx, http.MethodGet, path+"/handlers", nil, nil, &found)
	return found, err
}

// AddAddress enters the address of an executor that does not register, with its dialect, or
// with the one that is detected from its answers when it is empty or [api.DialectAuto]. The
// result includes the outcome of a first call.
func (c *Client) AddAddress(ctx context.Context, group, address, dialect string) (api.Executor, error) {
	var e api.Executor
	path, err := groupPath(group)
	if err != nil {
		return e, err
	}
	err = c.doRequest(ctx, http.MethodPost, path+"/addresses", nil, api.NewAddress{Address: address, Dialect: dialect}, &e)
	return e, err
}

// SetDialect sets the protocol of the executor of a group at an address; [api.DialectAuto]
// detects it from what the executor shows. Kinds: job.NotFound when there is none,
// job.Conflict when it cannot use the protocol.
func (c *Client) SetDialect(ctx context.Context, group, address, dialect string) (api.Executor, error) {
	var e api.Executor
	path, err := groupPath(group)
	if err != nil {
		return e, err
	}
	err = c.doRequest(ctx, http.MethodPut, path+"/addresses/dialect", url.Values{"address": {address}}, api.ExecutorDialect{Dialect: dialect}, &e)
	return e, err
}

// RemoveAddress removes an address that was entered by hand, or returns
// job.NotFound.
func (c *Client) RemoveAddress(ctx context.Context, group, address string) error {
	path, err := groupPath(group)
	if err != nil {
		return err
	}
	return c.doRequest(ctx, http.MethodDelete, path+"/addresses", url.Values{"address": {address}}, nil, nil)
}

// Rewrites returns the rules by which addresses of the group are replaced.
func (c *Client) Rewrites(ctx context.Context, group string) ([]api.Rewrite, error) {
	var list api.RewriteList
	path, err := groupPath(group)
	if err != nil {
		return nil, err
	}
	err = c.doRequest(ctx, http.MethodGet, path+"/rewrites", nil, nil, &list)
	return list.Rules, err
}

// SaveRewrites sets the rules of the group; none removes them. The first one
// that is about an address counts, from the executor's next beat on.
func (c *Client) SaveRewrites(ctx context.Context, group string, rules []api.Rewrite) ([]api.Rewrite, error) {
	var list api.RewriteList
	path, err := groupPath(group)
	if err != nil {
		return nil, err
	}
	if rules == nil {
		rules = []api.Rewrite{}
	}
	err = c.doRequest(ctx, http.MethodPut, path+"/rewrites", nil, api.RewriteList{Rules: rules}, &list)
	return list.Rules, err
}

// groupPath returns the path of a group; a key that none can have goes nowhere.
func groupPath(key string) (string, error) {
	if err := job.CheckGroup("group", key); err != nil {
		return "", err
	}
	return prefix + "/groups/" + url.PathEscape(key), nil
}

// Version returns the version of the server.
func (c *Client) Version(ctx context.Context) (string, error) {
	var version api.Version
	err := c.doRequest(ctx, http.MethodGet, prefix+"/version", nil, nil, &version)
	return version.Version, err
}

// Healthy returns nil when the server is up. It needs no token.
func (c *Client) Healthy(ctx context.Context) error {
	return c.doRequest(ctx, http.MethodGet, "/healthz", nil, nil, &api.Health{})
}
