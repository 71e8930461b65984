package client

import (
	"context"
	"net/http"

	"github.com/orthd/orth/api"
)

// Tokens returns the tokens of a user, without their secrets; those of the caller when the
// name is empty.
func (c *Client) Tokens(ctx context.Context, user string) (api.APITokenList, error) {
	var list api.APITokenList
	path, err := tokensPath(user)
	if err == nil {
		err = c.doRequest(ctx, http.MethodGet, path, nil, nil, &list)
	}
	return list, err
}

// CreateToken creates a token of a user, or of the caller. Its secret is returned only this
// once.
func (c *Client) CreateToken(ctx context.Context, user string, wish api.NewAPIToken) (api.MadeAPIToken, error) {
	var made api.MadeAPIToken
	path, err := tokensPath(user)
	if err == nil {
		err = c.doRequest(ctx, http.MethodPost, path, nil, wish, &made)
	}
	return made, err
}

// RevokeToken revokes a token of a user, or of the caller, or returns job.NotFound.
func (c *Client) RevokeToken(ctx context.Context, user string, id api.ID) error {
	path, err := tokensPath(user)
	if err != nil {
		return err
	}
	return c.doRequest(ctx, http.MethodDelete, path+"/"+id.String(), nil, nil, nil)
}

func tokensPath(user string) (string, error) {
	if user == "" {
		return prefix + "/tokens", nil
	}
	path, err := userPath(user)
	return path + "/tokens", err
}
