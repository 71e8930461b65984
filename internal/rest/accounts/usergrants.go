package accounts

import (
	"context"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/users"
)

// Grants adds and revokes grants: a caller can grant only roles that it holds.
type Grants interface {
	// Grants returns those within a sight.
	Grants(ctx context.Context, sight access.Sight, namespace, user, after string, limit int) ([]users.Held, error)
	GiveGrant(ctx context.Context, user string, g access.Grant) (access.User, error)
	TakeGrant(ctx context.Context, user string, g access.Grant) (access.User, error)
}

type grantQuery struct {
	Namespace string `query:"namespace" maxLength:"64" doc:"Only those in this namespace; * for those in all of them."`
	User      string `query:"user" maxLength:"64" doc:"Only those of this user."`
	After     string `query:"after" maxLength:"64" doc:"Only those of users behind this one: next of the page before."`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"About so many: those of the last user are whole."`
}

type newGrant struct{ Body api.NewGrant }

type takenGrant struct {
	User      string      `query:"user" required:"true" maxLength:"64" doc:"The user's name."`
	Role      access.Role `query:"role" required:"true" enum:"viewer,operator,editor,scripter,owner,admin" doc:"The grant."`
	Namespace string      `query:"namespace" required:"true" maxLength:"64" doc:"Where: one namespace, or *."`
	Group     string      `query:"group" required:"true" maxLength:"64" doc:"Where: one group of it, or *."`
}

type grantList struct{ Body api.GrantList }

type grantReply struct{ Body api.HeldGrant }

type roleList struct{ Body api.RoleList }

func (s *userRoom) registerGrants() {
	tags := []string{tagUsers}
	guard.Register(s.Guard, guard.Op{
		ID: "list-grants", Method: http.MethodGet, Path: "/grants", Tags: tags,
		Right: access.Own, Scope: guard.Narrowed, Class: guard.Reading,
		Summary: "List the grants of users, where the caller is an owner",
	}, s.listGrants)
	guard.Register(s.Guard, guard.Op{
		ID: "give-grant", Method: http.MethodPost, Path: "/grants", Tags: tags,
		Right: access.Own, Scope: guard.InBody, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindUser, Part: true, Dry: true},
		Summary: "Grant a user a role in a place",
		Description: "Owners grant the roles viewer, operator, editor and owner where they are owners; administrators grant all roles where they are. " +
			"Nobody grants himself anything.",
	}, s.giveGrant)
	guard.Register(s.Guard, guard.Op{
		ID: "take-grant", Method: http.MethodDelete, Path: "/grants", Tags: tags,
		Right: access.Own, Scope: guard.InBody, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindUser, Part: true, Dry: true},
		Summary: "Revoke a grant of a user",
	}, s.takeGrant)
	guard.Register(s.Guard, guard.Op{
		ID: "list-roles", Method: http.MethodGet, Path: "/roles", Tags: tags,
		Right: guard.Self, Scope: guard.OnSelf, Class: guard.Reading,
		Summary: "List the roles and their rights",
	}, func(context.Context, *struct{}) (*roleList, error) {
		var list api.RoleList
		for _, r := range access.Roles() {
			list.Roles = append(list.Roles, api.FromRole(r))
		}
		return &roleList{list}, nil
	})
}

func (s *userRoom) listGrants(ctx context.Context, in *grantQuery) (*grantList, error) {
	held, err := s.config.Grants.Grants(ctx, s.Sight(ctx, access.Own), in.Namespace, in.User, in.After, in.Limit)
	if err != nil {
		return nil, err
	}
	list := api.GrantList{Grants: make([]api.HeldGrant, len(held))}
	for i, h := range held {
		list.Grants[i] = api.HeldGrant{User: h.User, Grant: api.Grant(h.Grant), Provided: h.Provided}
	}
	if len(held) >= in.Limit {
		list.Next = held[len(held)-1].User
	}
	return &grantList{list}, nil
}

func (s *userRoom) giveGrant(ctx context.Context, in *newGrant) (*grantReply, error) {
	g := access.Grant(in.Body.Grant)
	if err := s.mayGive(ctx, g); err != nil {
		return nil, err
	}
	guard.NoteObject(ctx, "user", in.Body.User)
	u, err := s.config.Grants.GiveGrant(ctx, in.Body.User, g)
	if err != nil {
		return nil, err
	}
	return &grantReply{api.HeldGrant{User: u.Name, Grant: api.Grant(g)}}, nil
}

func (s *userRoom) takeGrant(ctx context.Context, in *takenGrant) (*struct{}, error) {
	g := access.Grant{Role: in.Role, Namespace: in.Namespace, Group: in.Group}
	if err := s.mayGive(ctx, g); err != nil {
		return nil, err
	}
	guard.NoteObject(ctx, "user", in.User)
	_, err := s.config.Grants.TakeGrant(ctx, in.User, g)
	return nil, err
}

// mayGive reports why the caller may not add or revoke a grant, before anything reveals
// whether the user exists.
func (s *userRoom) mayGive(ctx context.Context, g access.Grant) error {
	if err := s.Allow(ctx, g.Giving(), g.Object()); err != nil {
		return err
	}
	return g.Check()
}
