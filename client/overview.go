package client

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/orthd/orth/api"
)

// Namespaces returns all namespaces that the caller sees anything of, in order of name.
func (c *Client) Namespaces(ctx context.Context) ([]api.Namespace, error) {
	var list api.NamespaceList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/namespaces", nil, nil, &list)
	return list.Namespaces, err
}

// SummaryQuery selects the content of a summary; the zero value selects all that the caller
// may see, with the days of UTC.
type SummaryQuery struct {
	// Namespace and Group narrow it; empty means all.
	Namespace, Group string
	// Zone has the days: an IANA name such as Europe/Berlin.
	Zone string
}

func (q *SummaryQuery) values() url.Values {
	values := url.Values{}
	setNonEmpty(values, "namespace", q.Namespace)
	setNonEmpty(values, "group", q.Group)
	setNonEmpty(values, "zone", q.Zone)
	return values
}

// Summary returns the current activity, within what the caller may see.
func (c *Client) Summary(ctx context.Context, q SummaryQuery) (api.Summary, error) {
	var s api.Summary
	err := c.doRequest(ctx, http.MethodGet, prefix+"/summary", q.values(), nil, &s)
	return s, err
}

// Servers returns the servers of the platform. Administrators may call it.
func (c *Client) Servers(ctx context.Context) ([]api.Server, error) {
	var list api.ServerList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/servers", nil, nil, &list)
	return list.Servers, err
}

// Server returns one server. Administrators may call it. Kinds: NotFound.
func (c *Client) Server(ctx context.Context, name string) (api.Server, error) {
	var s api.Server
	err := c.doRequest(ctx, http.MethodGet, serverPath(name), nil, nil, &s)
	return s, err
}

// DrainServer drains a server, or ends its drain. Administrators may call it. Kinds:
// NotFound; Conflict when it is lost, or no other one would work.
func (c *Client) DrainServer(ctx context.Context, name string, on bool) (api.Server, error) {
	var s api.Server
	err := c.doRequest(ctx, http.MethodPut, serverPath(name)+"/drain", nil, api.ServerDrain{On: on}, &s)
	return s, err
}

// serverPath is where a server is; an empty name, or one of dots, is no segment of a path.
func serverPath(name string) string {
	return prefix + "/servers/" + strings.ReplaceAll(url.PathEscape(name), ".", "%2E")
}

// Settings returns the settings that are in effect at the server that answers, in order
// of name. Administrators may call it.
func (c *Client) Settings(ctx context.Context) ([]api.Setting, error) {
	var list api.SettingList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/settings", nil, nil, &list)
	return list.Settings, err
}
