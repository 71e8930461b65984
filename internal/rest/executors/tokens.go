package executors

import (
	"context"
	"net/http"
	"strconv"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Tokens is all that the API asks about the tokens of groups.
type Tokens interface {
	TokenMaker
	GroupRuler
	// Warnings returns what must not stay as it is.
	Warnings() []string
}

// TokenMaker makes and removes tokens of groups.
type TokenMaker interface {
	// AddToken returns the new token with its secret, which is never shown again, or adds
	// one that the caller provides.
	AddToken(ctx context.Context, group, label string, brought redacted.Text) (job.GroupToken, redacted.Text, error)
	RemoveToken(ctx context.Context, group string, id int64, force bool) error
}

// GroupRuler reads and sets how a group accepts executors.
type GroupRuler interface {
	// GroupTokens returns the tokens and whether the group takes no others.
	GroupTokens(ctx context.Context, group string) ([]job.GroupToken, bool, error)
	// ChangeGroup changes the fields of a group, and whether it accepts only its own
	// tokens: all of it, or nothing.
	ChangeGroup(ctx context.Context, group string, change job.GroupChange) error
}

type newToken struct {
	Group string `path:"group" doc:"The group's key; it is made when it does not exist."`
	Body  api.NewGroupToken
}

type tokenPath struct {
	Group string `path:"group" doc:"The group's key."`
	ID    string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a token's id" doc:"The token's id."`
	Force bool   `query:"force" doc:"Remove it also while executors that are alive showed it last."`
}

type groupPatch struct {
	Group     string `path:"group" doc:"The group's key."`
	Namespace string `query:"namespace" doc:"The namespace that the group is in. No two groups have the same key, so it may be left out; in another one there is no such group."`
	Body      api.GroupPatch
}

type tokenList struct{ Body api.GroupTokenList }

type warningList struct{ Body api.WarningList }

type madeToken struct{ Body api.MadeGroupToken }

type groupReply struct{ Body api.Group }

func (s *executorRoom) registerTokens() {
	guard.Register(s.Guard, guard.Op{
		ID: "list-group-tokens", Method: http.MethodGet, Path: "/groups/{group}/tokens", Tags: []string{tagExecutors},
		Right: access.Own, Scope: guard.OnGroup, Class: guard.Reading,
		Summary: "List the tokens of a group, without their secrets",
	}, s.listTokens)
	guard.Register(s.Guard, guard.Op{
		ID: "add-group-token", Method: http.MethodPost, Path: "/groups/{group}/tokens", Tags: []string{tagExecutors},
		Right: access.Own, Scope: guard.OnGroupOrNew, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Shown: true},
		Summary: "Create a token for executors of a group, whose secret is shown only once, or add one that they have",
	}, s.addToken)
	guard.Register(s.Guard, guard.Op{
		ID: "remove-group-token", Method: http.MethodDelete, Path: "/groups/{group}/tokens/{id}", Tags: []string{tagExecutors},
		Right: access.Own, Scope: guard.OnGroup, Class: guard.Writing,
		Summary: "Remove a token: it counts no more on this server at once, on others within five seconds",
	}, s.removeToken)
	guard.Register(s.Guard, guard.Op{
		ID: "edit-group", Method: http.MethodPatch, Path: "/groups/{group}", Tags: []string{tagExecutors},
		Right: access.Own, Scope: guard.OnGroup, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindGroup, Dry: true},
		Summary: "Change a group: its title and labels, whether it accepts only its own tokens, its namespace",
	}, s.editGroup)
	guard.Register(s.Guard, guard.Op{
		ID: "list-warnings", Method: http.MethodGet, Path: "/warnings", Tags: []string{guard.TagServer},
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Reading,
		Summary: "List configuration warnings of this server",
	}, func(context.Context, *struct{}) (*warningList, error) {
		return &warningList{api.WarningList{Warnings: append([]string{}, s.config.Tokens.Warnings()...)}}, nil
	})
}

func (s *executorRoom) listTokens(ctx context.Context, in *groupPath) (*tokenList, error) {
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

func (s *executorRoom) addToken(ctx context.Context, in *newToken) (*madeToken, error) {
	brought := redacted.New(in.Body.Token)
	if s.config.Token.Equal(brought) {
		return nil, job.FieldErrorf("token", "is the secret of the API, which executors must not know")
	}
	t, text, err := s.config.Tokens.AddToken(ctx, in.Group, in.Body.Label, brought)
	if err != nil {
		return nil, err
	}
	return &madeToken{api.MadeGroupToken{GroupToken: api.FromGroupToken(t), Token: text.Reveal()}}, nil
}

func (s *executorRoom) removeToken(ctx context.Context, in *tokenPath) (*struct{}, error) {
	id, err := strconv.ParseInt(in.ID, 10, 64)
	if err != nil {
		return nil, job.Errorf(job.NotFound, "group %s has no token %s", in.Group, in.ID)
	}
	return nil, s.config.Tokens.RemoveToken(ctx, in.Group, id, in.Force)
}

func (s *executorRoom) editGroup(ctx context.Context, in *groupPatch) (*groupReply, error) {
	wish := &in.Body
	if wish.OwnTokenOnly == nil && wish.Title == nil && wish.Labels == nil && wish.Namespace == nil {
		return nil, job.FieldErrorf("own_token_only", "is missing, and so are title, labels and namespace: name at least one change")
	}
	at := in.Namespace
	if wish.Namespace != nil {
		at = *wish.Namespace
		if err := s.Allow(ctx, access.Own, access.Object{Namespace: at, Group: in.Group}); err != nil {
			return nil, err
		}
	}
	change := job.GroupChange{Version: wish.Version, Namespace: wish.Namespace, Title: wish.Title, Labels: wish.Labels, OwnTokenOnly: wish.OwnTokenOnly}
	if err := s.config.Tokens.ChangeGroup(ctx, in.Group, change); err != nil {
		return nil, err
	}
	g, err := s.config.GroupKeeper.Group(ctx, at, in.Group)
	if err != nil {
		return nil, err
	}
	if wish.OwnTokenOnly != nil { // also when nothing is to stay
		g.OwnTokenOnly = *wish.OwnTokenOnly
	}
	return &groupReply{api.Group{Namespace: g.Group.Namespace, Group: in.Group, OwnTokenOnly: g.OwnTokenOnly, Version: g.Group.Version}}, nil
}
