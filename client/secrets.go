package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// secrets is the folder of named secrets.
const secrets = "/secrets"

// Secrets returns the named secrets of the client's namespace in order of key, without
// their values.
func (c *Client) Secrets(ctx context.Context) ([]api.Secret, error) {
	var list api.SecretList
	err := c.doRequest(ctx, http.MethodGet, prefix+secrets, c.space(), nil, &list)
	return list.Secrets, err
}

// AllSecrets is Secrets for all namespaces that the caller may see.
func (c *Client) AllSecrets(ctx context.Context) ([]api.Secret, error) {
	var list api.SecretList
	err := c.doRequest(ctx, http.MethodGet, prefix+secrets, everySpace(), nil, &list)
	return list.Secrets, err
}

// Secret returns a named secret without its value, or job.NotFound.
func (c *Client) Secret(ctx context.Context, key string) (api.Secret, error) {
	var s api.Secret
	err := c.definition(ctx, http.MethodGet, secrets, key, "", nil, &s)
	return s, err
}

// CreateSecret creates a named secret in its namespace, or in the client's when it names
// none. Kinds: Invalid with the field at fault, Conflict when the key is taken.
func (c *Client) CreateSecret(ctx context.Context, s api.NewSecret) (api.Secret, error) {
	var made api.Secret
	err := c.doOnce(ctx, prefix+secrets, c.space(), s, &made)
	return made, err
}

// UpdateSecret changes a named secret: nil fields stay as they are. Kinds: Invalid with the
// field at fault, NotFound, Conflict when it has another version, or jobs that it would no
// longer serve need it.
func (c *Client) UpdateSecret(ctx context.Context, key string, change api.SecretChange) (api.Secret, error) {
	var s api.Secret
	err := c.definition(ctx, http.MethodPatch, secrets, key, "", change, &s)
	return s, err
}

// DeleteSecret deletes a named secret. Kinds: NotFound, Conflict while jobs refer to it;
// with force it goes all the same, and their runs fail.
func (c *Client) DeleteSecret(ctx context.Context, key string, force bool) error {
	if err := job.CheckKey("key", key); err != nil {
		return err
	}
	query := c.space()
	if force {
		query.Set("force", "true")
	}
	return c.doRequest(ctx, http.MethodDelete, prefix+secrets+"/"+url.PathEscape(key), query, nil, nil)
}

// SecretJobs returns the jobs that refer to a named secret in order of key, at most a
// thousand, as far as the caller may see them.
func (c *Client) SecretJobs(ctx context.Context, key string) (api.SecretJobList, error) {
	var list api.SecretJobList
	err := c.definition(ctx, http.MethodGet, secrets, key, "/jobs", nil, &list)
	return list, err
}
