package resttest

import (
	"context"
	"fmt"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// fakeUsers are users that note what they are asked. There is ada, a viewer, and who
// is asked for is like her.
type fakeUsers struct{ *Fake }

func aUser(name string) access.User {
	return access.User{
		ID: 3, Kind: access.Person, Name: name, Title: "Ada", Epoch: 1, CreatedAt: Instant, UpdatedAt: Instant, SeenAt: Instant,
		Grants: []access.Grant{{Role: access.Viewer, Namespace: "default", Group: access.All}},
	}
}

func (f fakeUsers) User(_ context.Context, name string) (access.User, error) {
	if name == "missing" {
		return access.User{}, job.Errorf(job.NotFound, "there is no user %s", name)
	}
	return aUser(name), f.Note("user %s", name)
}

func (f fakeUsers) Users(_ context.Context, q users.UserQuery) ([]access.User, bool, error) {
	after := "nobody"
	if q.After != nil {
		after = fmt.Sprintf("%d %s", q.After.Value, q.After.Name)
	}
	return []access.User{aUser("ada")}, q.Limit == 1, f.Note("users %s/%s %s@%s by %s, down %t, after %s, %d", q.Kind, q.State, q.Role, q.Namespace, q.By, q.Down, after, q.Limit)
}

func (f fakeUsers) Grants(_ context.Context, sight access.Sight, namespace, user, after string, limit int) ([]users.Held, error) {
	return []users.Held{{User: "ada", Grant: aUser("ada").Grants[0]}}, f.Note("grants in %+v: %q %q after %q, %d", sight, namespace, user, after, limit)
}

func (f fakeUsers) CreateUser(_ context.Context, u access.User, password redacted.Text) (access.User, redacted.Text, error) {
	made := redacted.Text{}
	if password.IsZero() {
		made = redacted.New("made-for-her")
	}
	shown := aUser(u.Name)
	shown.Kind = u.Kind
	return shown, made, f.Note("create user %s (%s) with %q and %v", u.Name, u.Kind, password.Reveal(), u.Grants)
}

func (f fakeUsers) AdoptUser(_ context.Context, u access.User, hash redacted.Text) (access.User, error) {
	return aUser(u.Name), f.Note("adopt user %s (%s) with %q and %v", u.Name, u.Kind, hash.Reveal(), u.Grants)
}

func (f fakeUsers) DeleteUser(_ context.Context, name string) error {
	return f.Note("delete user %s", name)
}

func (f fakeUsers) DescribeUser(_ context.Context, name string, title, email *string) (access.User, error) {
	text := func(t *string) string {
		if t == nil {
			return "as it is"
		}
		return fmt.Sprintf("%q", *t)
	}
	return aUser(name), f.Note("describe %s: title %s, email %s", name, text(title), text(email))
}

func (f fakeUsers) SetDisabled(_ context.Context, name string, disabled bool) (access.User, error) {
	u := aUser(name)
	u.Disabled = disabled
	return u, f.Note("disable %s: %t", name, disabled)
}

func (f fakeUsers) SetPassword(_ context.Context, name string, fresh redacted.Text, final bool) (access.User, error) {
	u := aUser(name)
	u.MustChange = !final
	return u, f.Note("password of %s: %q, final %t", name, fresh.Reveal(), final)
}

func (f fakeUsers) GiveGrant(_ context.Context, name string, g access.Grant) (access.User, error) {
	return aUser(name), f.Note("give %s %s", name, g)
}

func (f fakeUsers) TakeGrant(_ context.Context, name string, g access.Grant) (access.User, error) {
	return aUser(name), f.Note("take %s from %s", g, name)
}

func (f fakeUsers) Tokens(_ context.Context, user string) ([]access.APIToken, error) {
	return []access.APIToken{{ID: 9, UserID: 3, User: user, Key: "0123456789", CreatedAt: Instant}}, f.Note("tokens of %s", user)
}

func (f fakeUsers) AddToken(_ context.Context, user string, t access.APIToken) (access.APIToken, redacted.Text, error) {
	t.ID, t.User, t.Key, t.CreatedAt = 9, user, "0123456789", Instant
	return t, redacted.New("orth_0123456789secret"), f.Note("add token to %s: %q %v until %s", user, t.Label, t.Limits, t.ExpiresAt.UTC().Format("2006"))
}

func (f fakeUsers) RemoveToken(_ context.Context, user string, id int64) error {
	return f.Note("revoke %d of %s", id, user)
}
