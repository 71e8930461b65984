package accounts

import (
	"context"
	"net/http"
	"strconv"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// APITokens keeps the tokens of users.
type APITokens interface {
	Tokens(ctx context.Context, user string) ([]access.APIToken, error)
	// AddToken returns the new token with its secret, which is never shown again.
	AddToken(ctx context.Context, user string, t access.APIToken) (access.APIToken, redacted.Text, error)
	RemoveToken(ctx context.Context, user string, id int64) error
}

type newUserToken struct {
	Name string `path:"name" maxLength:"64" doc:"The user's name."`
	Body api.NewAPIToken
}

type userTokenPath struct {
	Name string `path:"name" maxLength:"64" doc:"The user's name."`
	ID   string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a token's id" doc:"The token's id."`
}

type newOwnToken struct{ Body api.NewAPIToken }

type ownTokenPath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a token's id" doc:"The token's id."`
}

type apiTokenList struct{ Body api.APITokenList }

type madeAPIToken struct{ Body api.MadeAPIToken }

type meReply struct{ Body api.Me }

func (s *userRoom) registerAPITokens() {
	tags := []string{tagUsers}
	guard.Register(s.Guard, guard.Op{
		ID: "get-me", Method: http.MethodGet, Path: "/me", Tags: tags,
		Right: guard.Self, Scope: guard.OnSelfLocked, Class: guard.Reading,
		Summary: "Show the caller and its grants",
	}, func(ctx context.Context, _ *struct{}) (*meReply, error) {
		caller := intent.Caller(ctx)
		return &meReply{api.FromPrincipal(&caller)}, nil
	})
	guard.Register(s.Guard, guard.Op{
		ID: "list-tokens", Method: http.MethodGet, Path: "/tokens", Tags: tags,
		Right: guard.Self, Scope: guard.OnSelf, Class: guard.Reading,
		Summary: "List one's own tokens, without their secrets",
	}, func(ctx context.Context, _ *struct{}) (*apiTokenList, error) {
		name, err := ownName(ctx)
		if err != nil {
			return nil, err
		}
		return s.tokensOf(ctx, name)
	})
	guard.Register(s.Guard, guard.Op{
		ID: "create-token", Method: http.MethodPost, Path: "/tokens", Tags: tags,
		Right: guard.Self, Scope: guard.OnSelf, Class: guard.Writing, Status: http.StatusCreated,
		Policy:      guard.Policy{Made: true, Shown: true},
		Summary:     "Make a token of one's own, whose secret is shown this once",
		Description: "A token that makes another one makes none that may do more, or lasts longer, than itself.",
	}, func(ctx context.Context, in *newOwnToken) (*madeAPIToken, error) {
		name, err := ownName(ctx)
		if err != nil {
			return nil, err
		}
		return s.addAPIToken(ctx, name, &in.Body)
	})
	guard.Register(s.Guard, guard.Op{
		ID: "revoke-token", Method: http.MethodDelete, Path: "/tokens/{id}", Tags: tags,
		Right: guard.Self, Scope: guard.OnSelf, Class: guard.Writing,
		Summary: "Revoke a token of one's own: it counts no more on this server at once, on others within two seconds",
	}, func(ctx context.Context, in *ownTokenPath) (*struct{}, error) {
		name, err := ownName(ctx)
		if err != nil {
			return nil, err
		}
		return s.removeAPIToken(ctx, name, in.ID)
	})
	guard.Register(s.Guard, guard.Op{
		ID: "list-user-tokens", Method: http.MethodGet, Path: "/users/{name}/tokens", Tags: tags,
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Reading,
		Summary: "List the tokens of a user, without their secrets",
	}, func(ctx context.Context, in *userPath) (*apiTokenList, error) { return s.tokensOf(ctx, in.Name) })
	guard.Register(s.Guard, guard.Op{
		ID: "create-user-token", Method: http.MethodPost, Path: "/users/{name}/tokens", Tags: tags,
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindUser, Shown: true},
		Summary: "Make a token of a user, such as a service, whose secret is shown this once",
	}, func(ctx context.Context, in *newUserToken) (*madeAPIToken, error) {
		return s.addAPIToken(ctx, in.Name, &in.Body)
	})
	guard.Register(s.Guard, guard.Op{
		ID: "revoke-user-token", Method: http.MethodDelete, Path: "/users/{name}/tokens/{id}", Tags: tags,
		Right: access.Admin, Scope: guard.OnUser, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindUser, Part: true},
		Summary: "Revoke a token of a user",
	}, func(ctx context.Context, in *userTokenPath) (*struct{}, error) {
		return s.removeAPIToken(ctx, in.Name, in.ID)
	})
}

// ownName returns the name of the user who calls.
func ownName(ctx context.Context) (string, error) {
	caller := intent.Caller(ctx)
	if caller.ID == 0 {
		return "", &job.Error{
			Kind: job.Invalid, Message: "the token of the server itself belongs to no user, who could have tokens",
			Hint: "name a user: /users/NAME/tokens, or --user NAME on the command line",
		}
	}
	return caller.Name, nil
}

func (s *userRoom) tokensOf(ctx context.Context, user string) (*apiTokenList, error) {
	tokens, err := s.config.APITokens.Tokens(ctx, user)
	if err != nil {
		return nil, err
	}
	list := api.APITokenList{Tokens: make([]api.APIToken, len(tokens))}
	for i := range tokens {
		list.Tokens[i] = api.FromAPIToken(&tokens[i])
	}
	return &apiTokenList{list}, nil
}

func (s *userRoom) addAPIToken(ctx context.Context, user string, wish *api.NewAPIToken) (*madeAPIToken, error) {
	t, text, err := s.config.APITokens.AddToken(ctx, user, access.APIToken{
		Label: wish.Label, Limits: api.ToGrants(wish.Limits), ExpiresAt: wish.ExpiresAt.Time,
	})
	if err != nil {
		return nil, err
	}
	return &madeAPIToken{api.MadeAPIToken{APIToken: api.FromAPIToken(&t), Token: text.Reveal()}}, nil
}

func (s *userRoom) removeAPIToken(ctx context.Context, user, id string) (*struct{}, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, job.Errorf(job.NotFound, "user %s has no token %s", user, id)
	}
	return nil, s.config.APITokens.RemoveToken(ctx, user, number)
}
