package client_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

func TestUsers(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c, ctx := serve(t, m, nil), t.Context()
	viewer := api.Grant{Role: access.Viewer, Namespace: "a", Group: "*"}
	for _, name := range []string{"bob", "ada@example.com"} {
		made, err := c.CreateUser(ctx, api.NewUser{Name: name, Title: "T", Grants: []api.Grant{viewer}})
		if err != nil || made.Name != name || made.Kind != access.Person || made.Password != "made-here" {
			t.Fatalf("%s: got %+v, %v", name, made, err)
		}
	}
	if made, err := c.CreateUser(ctx, api.NewUser{Name: "ci", Kind: access.Service, Password: "given"}); err != nil || made.Password != "" || made.Kind != access.Service {
		t.Errorf("a service: %+v, %v", made, err)
	}
	first, err := c.Users(ctx, client.UserQuery{Limit: 2})
	if err != nil || len(first.Users) != 2 || first.Next != "bob" {
		t.Fatalf("the first page: %+v, %v", first, err)
	}
	second, err := c.Users(ctx, client.UserQuery{After: first.Next})
	if err != nil || len(second.Users) != 1 || second.Users[0].Name != "ci" || second.Next != "" {
		t.Errorf("the second page: %+v, %v", second, err)
	}
	narrow := client.UserQuery{Kind: access.Person, State: "must_change", Role: access.Owner, Namespace: "*", Sort: "-seen_at"}
	if none, err := c.Users(ctx, narrow); err != nil || len(none.Users) != 0 {
		t.Errorf("nobody: %+v, %v", none, err)
	}
	wanted := users.UserQuery{Kind: access.Person, State: users.UserMustChange, Role: access.Owner, Namespace: "*", By: users.UsersBySeen, Down: true, Limit: 100}
	if m.users.asked != wanted {
		t.Errorf("asked for %+v", m.users.asked)
	}
	shown, err := c.User(ctx, "ada@example.com")
	if diff := cmp.Diff(first.Users[0], shown); err != nil || diff != "" {
		t.Errorf("%v, shown differs (-listed +shown):\n%s", err, diff)
	}
	title, none := "Ada L.", ""
	if u, err := c.UpdateUser(ctx, "ada@example.com", api.UserPatch{Title: &title}); err != nil || u.Title != title {
		t.Errorf("a title: %+v, %v", u, err)
	}
	if u, err := c.UpdateUser(ctx, "ada@example.com", api.UserPatch{Email: &none}); err != nil || u.Title != title || u.Email != "" {
		t.Errorf("no address: %+v, %v", u, err)
	}
	if u, err := c.DisableUser(ctx, "bob"); err != nil || !u.Disabled {
		t.Errorf("disabled: %+v, %v", u, err)
	}
	if u, err := c.EnableUser(ctx, "bob"); err != nil || u.Disabled {
		t.Errorf("enabled: %+v, %v", u, err)
	}
	if u, err := c.SetUserPassword(ctx, "bob", api.NewPassword{Password: "pw", Final: true}); err != nil || u.MustChange || !slices.Equal(m.users.seen, []string{"pwtrue"}) {
		t.Errorf("a password: %+v, %v, set %v", u, err, m.users.seen)
	}
	if err := c.DeleteUser(ctx, "ci"); err != nil {
		t.Error(err)
	}
	if err := c.DeleteUser(ctx, "ci"); !job.Is(err, job.NotFound) {
		t.Errorf("removed twice: %v", err)
	}
	for _, odd := range []string{"", ".", ".."} {
		if _, err := c.User(ctx, odd); !job.Is(err, job.Invalid) {
			t.Errorf("%q: %v", odd, err)
		}
	}
	if me, err := c.Me(ctx); err != nil || me.Kind != access.System {
		t.Errorf("me: %+v, %v", me, err)
	}
	if roles, err := c.Roles(ctx); err != nil || len(roles.Roles) != len(access.Roles()) || roles.Roles[5].Role != access.Administrator {
		t.Errorf("roles: %+v, %v", roles, err)
	}
}

func TestGrants(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c, ctx := serve(t, m, nil), t.Context()
	if _, err := c.CreateUser(ctx, api.NewUser{Name: "ada"}); err != nil {
		t.Fatal(err)
	}
	editor := api.Grant{Role: access.Editor, Namespace: "a", Group: "x.y"}
	server := api.Grant{Role: access.Viewer, Namespace: "*", Group: "*"}
	for _, g := range []api.Grant{editor, server} {
		if err := c.GiveGrant(ctx, "ada", g); err != nil {
			t.Fatal(err)
		}
	}
	all, err := c.Grants(ctx, client.GrantQuery{})
	if diff := cmp.Diff(api.GrantList{Grants: []api.HeldGrant{{User: "ada", Grant: editor}, {User: "ada", Grant: server}}}, all); err != nil || diff != "" {
		t.Errorf("%v, all (-want +got):\n%s", err, diff)
	}
	some, err := c.Grants(ctx, client.GrantQuery{Namespace: "*", User: "ada", Limit: 1})
	if err != nil || len(some.Grants) != 1 || some.Grants[0].Grant != server || some.Next != "ada" {
		t.Errorf("server-wide: %+v, %v", some, err)
	}
	if err := c.TakeGrant(ctx, "ada", server); err != nil {
		t.Fatal(err)
	}
	if left, err := c.Grants(ctx, client.GrantQuery{}); err != nil || len(left.Grants) != 1 || left.Grants[0].Grant != editor {
		t.Errorf("left: %+v, %v", left, err)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c, ctx := serve(t, m, nil), t.Context()
	wish := api.NewAPIToken{
		Label: "ci", ExpiresAt: api.At(time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)),
		Limits: []api.Grant{{Role: access.Viewer, Namespace: "a", Group: "*"}},
	}
	made, err := c.CreateToken(ctx, "ada", wish)
	if err != nil || made.Token != "orth_0123456789x" || made.User != "ada" {
		t.Fatalf("got %+v, %v", made, err)
	}
	list, err := c.Tokens(ctx, "ada")
	if diff := cmp.Diff(api.APITokenList{Tokens: []api.APIToken{made.APIToken}}, list); err != nil || diff != "" {
		t.Errorf("%v, listed differs (-made +listed):\n%s", err, diff)
	}
	if err := c.RevokeToken(ctx, "ada", made.ID); err != nil {
		t.Error(err)
	}
	if err := c.RevokeToken(ctx, "ada", made.ID); !job.Is(err, job.NotFound) {
		t.Errorf("revoked twice: %v", err)
	}
	if _, err := c.Tokens(ctx, ""); !job.Is(err, job.Invalid) { // the server's own token is no user
		t.Errorf("one's own: %v", err)
	}
	if _, err := c.Tokens(ctx, ".."); !job.Is(err, job.Invalid) {
		t.Errorf("an odd name: %v", err)
	}
}
