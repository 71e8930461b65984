package rest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/job"
)

// Tokens is all that the API asks about the tokens of groups.
type Tokens interface {
	TokenMaker
	GroupRuler
}

// TokenMaker makes and removes tokens of groups.
type TokenMaker interface {
	// AddToken returns the new token with its secret, which nobody sees again.
	AddToken(ctx context.Context, group, label string) (job.GroupToken, secret.Text, error)
	RemoveToken(ctx context.Context, group string, id int64) error
}

// GroupRuler tells and says how a group takes executors.
type GroupRuler interface {
	// GroupTokens returns the tokens and whether the group takes no others.
	GroupTokens(ctx context.Context, group string) ([]job.GroupToken, bool, error)
	SetOwnTokenOnly(ctx context.Context, group string, only bool) error
}

type newToken struct {
	Group string `path:"group" doc:"The group's key; it is made when it does not exist."`
	Body  api.NewGroupToken
}

type tokenPath struct {
	Group string `path:"group" doc:"The group's key."`
	ID    string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a token's id" doc:"The token's id."`
}

type groupPatch struct {
	Group string `path:"group" doc:"The group's key."`
	Body  api.GroupPatch
}

type tokenList struct{ Body api.GroupTokenList }

type madeToken struct{ Body api.MadeGroupToken }

type groupReply struct{ Body api.Group }

func (s *server) registerTokens() {
	register(s, huma.Operation{
		OperationID: "list-group-tokens", Method: http.MethodGet, Path: "/groups/{group}/tokens", Tags: []string{tagExecutors},
		Summary: "List the tokens of a group, without their secrets",
	}, s.listTokens)
	register(s, huma.Operation{
		OperationID: "add-group-token", Method: http.MethodPost, Path: "/groups/{group}/tokens", Tags: []string{tagExecutors},
		Summary: "Make a token for executors of a group; the secret is shown this once", DefaultStatus: http.StatusCreated,
	}, s.addToken)
	register(s, huma.Operation{
		OperationID: "remove-group-token", Method: http.MethodDelete, Path: "/groups/{group}/tokens/{id}", Tags: []string{tagExecutors},
		Summary: "Remove a token: it counts no more on this server at once, on others within five seconds",
	}, s.removeToken)
	register(s, huma.Operation{
		OperationID: "edit-group", Method: http.MethodPatch, Path: "/groups/{group}", Tags: []string{tagExecutors},
		Summary: "Say whether a group takes no tokens but its own",
	}, s.editGroup)
}

func (s *server) listTokens(ctx context.Context, in *groupPath) (*tokenList, error) {
	tokens, only, err := s.config.Tokens.GroupTokens(ctx, in.Group)
	if err != nil {
		return nil, err
	}
	list := api.GroupTokenList{
		Group: api.Group{Group: in.Group, OwnTokenOnly: only}, Tokens: make([]api.GroupToken, len(tokens)),
	}
	for i, t := range tokens {
		list.Tokens[i] = api.FromGroupToken(t)
	}
	return &tokenList{list}, nil
}

func (s *server) addToken(ctx context.Context, in *newToken) (*madeToken, error) {
	t, text, err := s.config.Tokens.AddToken(ctx, in.Group, in.Body.Label)
	if err != nil {
		return nil, err
	}
	return &madeToken{api.MadeGroupToken{GroupToken: api.FromGroupToken(t), Token: text.Reveal()}}, nil
}

func (s *server) removeToken(ctx context.Context, in *tokenPath) (*struct{}, error) {
	id, err := strconv.ParseInt(in.ID, 10, 64)
	if err != nil {
		return nil, job.Errorf(job.NotFound, "group %s has no token %s", in.Group, in.ID)
	}
	return nil, s.config.Tokens.RemoveToken(ctx, in.Group, id)
}

func (s *server) editGroup(ctx context.Context, in *groupPatch) (*groupReply, error) {
	only := *in.Body.OwnTokenOnly
	if err := s.config.Tokens.SetOwnTokenOnly(ctx, in.Group, only); err != nil {
		return nil, err
	}
	return &groupReply{api.Group{Group: in.Group, OwnTokenOnly: only}}, nil
}
