package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// UserQuery selects users. The zero query selects all, in order of their names.
type UserQuery struct {
	Kind  access.Kind // access.Person or access.Service; empty means both
	State string      // active, disabled or must_change; empty means any
	// Role and Namespace select users with a grant of this role, and in this namespace:
	// with both it is one grant. "*" is the grants in all namespaces.
	Role      access.Role
	Namespace string
	// Sort is name, created_at or seen_at, with - before it the other way round. Defaults
	// to name.
	Sort  string
	After string // users behind this one: the Next of the page before
	Limit int    // 1..500 per page. Defaults to 100.
}

// GrantQuery selects grants. The zero query selects those of all users wherever the
// caller is an owner.
type GrantQuery struct {
	Namespace string // "*" means those in all namespaces; empty means all
	User      string // a user's name; empty means all
	After     string // users behind this one: the Next of the page before
	Limit     int    // 1..1,000 per page. Defaults to 100.
}

// Me returns the caller and its grants.
func (c *Client) Me(ctx context.Context) (api.Me, error) {
	var me api.Me
	err := c.doRequest(ctx, http.MethodGet, prefix+"/me", nil, nil, &me)
	return me, err
}

// Roles returns the rights of each role.
func (c *Client) Roles(ctx context.Context) (api.RoleList, error) {
	var list api.RoleList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/roles", nil, nil, &list)
	return list, err
}

// Users returns a page of users, in order of their names or sorted.
func (c *Client) Users(ctx context.Context, q UserQuery) (api.UserList, error) {
	query := url.Values{}
	for name, value := range map[string]string{
		"kind": string(q.Kind), "state": q.State, "role": string(q.Role), "namespace": q.Namespace, "sort": q.Sort, "after": q.After,
	} {
		setNonEmpty(query, name, value)
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	var list api.UserList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/users", query, nil, &list)
	return list, err
}

// User returns a user, or job.NotFound.
func (c *Client) User(ctx context.Context, name string) (api.User, error) {
	return c.onUser(ctx, http.MethodGet, name, "", nil)
}

// CreateUser creates a user. A password that the server generated is returned only this
// once. The error is job.Conflict when the name is taken.
func (c *Client) CreateUser(ctx context.Context, wish api.NewUser) (api.MadeUser, error) {
	var made api.MadeUser
	err := c.doRequest(ctx, http.MethodPost, prefix+"/users", nil, wish, &made)
	return made, err
}

// UpdateUser changes the title or the address of a user: fields absent from the patch stay
// as they are.
func (c *Client) UpdateUser(ctx context.Context, name string, patch api.UserPatch) (api.User, error) {
	return c.onUser(ctx, http.MethodPatch, name, "", patch)
}

// DisableUser disables a user with its tokens and sessions. The error is job.Conflict for
// the last administrator.
func (c *Client) DisableUser(ctx context.Context, name string) (api.User, error) {
	return c.onUser(ctx, http.MethodPost, name, "/disable", nil)
}

// EnableUser lets a user come in again.
func (c *Client) EnableUser(ctx context.Context, name string) (api.User, error) {
	return c.onUser(ctx, http.MethodPost, name, "/enable", nil)
}

// SetUserPassword sets the password of a user; all its sessions are over.
func (c *Client) SetUserPassword(ctx context.Context, name string, wish api.NewPassword) (api.User, error) {
	return c.onUser(ctx, http.MethodPut, name, "/password", wish)
}

// DeleteUser removes a user with its tokens and sessions. The error is job.Conflict for the
// last administrator.
func (c *Client) DeleteUser(ctx context.Context, name string) error {
	path, err := userPath(name)
	if err != nil {
		return err
	}
	return c.doRequest(ctx, http.MethodDelete, path, nil, nil, nil)
}

// Grants returns a page of grants in order of the names of users.
func (c *Client) Grants(ctx context.Context, q GrantQuery) (api.GrantList, error) {
	query := url.Values{}
	setNonEmpty(query, "namespace", q.Namespace)
	setNonEmpty(query, "user", q.User)
	setNonEmpty(query, "after", q.After)
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	var list api.GrantList
	err := c.doRequest(ctx, http.MethodGet, prefix+"/grants", query, nil, &list)
	return list, err
}

// GiveGrant grants a user a role in a place. One that it has already is no error.
func (c *Client) GiveGrant(ctx context.Context, user string, g api.Grant) error {
	return c.doRequest(ctx, http.MethodPost, prefix+"/grants", nil, api.NewGrant{User: user, Grant: g}, nil)
}

// TakeGrant takes a grant from a user, or returns job.NotFound.
func (c *Client) TakeGrant(ctx context.Context, user string, g api.Grant) error {
	query := url.Values{"user": {user}, "role": {string(g.Role)}, "namespace": {g.Namespace}, "group": {g.Group}}
	return c.doRequest(ctx, http.MethodDelete, prefix+"/grants", query, nil, nil)
}

// onUser calls what answers with a user.
func (c *Client) onUser(ctx context.Context, method, name, what string, in any) (api.User, error) {
	var u api.User
	path, err := userPath(name)
	if err == nil {
		err = c.doRequest(ctx, method, path+what, nil, in, &u)
	}
	return u, err
}

func userPath(name string) (string, error) {
	if name == "" || name == "." || name == ".." {
		return "", job.FieldErrorf("user", "%q is no name of a user", name)
	}
	return prefix + "/users/" + url.PathEscape(name), nil
}
