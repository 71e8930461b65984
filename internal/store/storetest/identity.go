package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

func identityTests() []test {
	return []test{
		{"a user is read as it was written", userIsRead},
		{"a name and a subject are there once", userOnce},
		{"the first user is the first", firstUser},
		{"an edit is written whole, or not at all", userEdited},
		{"there is always an administrator", lastAdministrator},
		{"users are listed by name", usersListed},
		{"a token is read as it was written", apiTokenIsRead},
		{"no limits are not an empty list of them", apiTokenLimits},
		{"a user has so many tokens and no more", apiTokenBound},
		{"the tokens of a user go with it", apiTokensGo},
		{"identities are read when they have changed", identityVersion},
	}
}

func overall(role access.Role) access.Grant {
	return access.Grant{Role: role, Namespace: access.All, Group: access.All}
}

// user writes a person with grants.
func (b *bench) user(name string, grants ...access.Grant) access.User {
	b.Helper()
	u, err := b.AddUser(b.ctx(), b.account(name, grants...), false)
	b.ok(err)
	return u
}

func (b *bench) account(name string, grants ...access.Grant) users.Account {
	return users.Account{
		Password: "hash of " + name,
		User:     access.User{Kind: access.Person, Name: name, Grants: grants, Epoch: 1, CreatedAt: b.now, UpdatedAt: b.now},
	}
}

func (b *bench) stored(name string) users.Account {
	b.Helper()
	a, err := b.Account(b.ctx(), name)
	b.ok(err)
	return a
}

func (b *bench) identities(known int64) *users.Identities {
	b.Helper()
	all, err := b.Identities(b.ctx(), known)
	b.ok(err)
	return all
}

func (b *bench) apiToken(user access.User, key string, edit ...func(*access.APIToken)) access.APIToken {
	b.Helper()
	t := access.APIToken{UserID: user.ID, Key: key, Label: "метка " + key, CreatedAt: b.now}
	for _, fn := range edit {
		fn(&t)
	}
	t, err := b.AddAPIToken(b.ctx(), t, "digest of "+key)
	b.ok(err)
	return t
}

func userIsRead(b *bench) {
	want := users.Account{
		Password: "a hash",
		User: access.User{
			Kind: access.Person, Name: "ivan", Title: "Иван", Email: "ivan@example.com", Disabled: true, MustChange: true,
			Grants:   []access.Grant{{Role: access.Viewer, Namespace: "a", Group: "*"}, overall(access.Scripter)},
			Provided: []access.Grant{{Role: access.Owner, Namespace: "b", Group: "c"}},
			Subject:  "https://id.example.com#42", Epoch: 7, CreatedAt: b.at(1), UpdatedAt: b.at(2),
		},
	}
	u, err := b.AddUser(b.ctx(), want, false)
	b.ok(err)
	if u.ID == 0 {
		b.Fatal("it has no id")
	}
	want.ID = u.ID
	b.same("added", u, want.User)
	b.ok(b.TouchUser(b.ctx(), u.ID, 0, b.at(9)))
	b.ok(b.TouchUser(b.ctx(), u.ID, 0, b.at(3))) // late, and older
	b.ok(b.TouchUser(b.ctx(), 1<<40, 1<<40, b.at(3)))
	want.SeenAt = b.at(9)
	b.reopen()
	b.same("by name", b.stored("ivan"), want)
	of, err := b.AccountOf(b.ctx(), want.Subject)
	b.ok(err)
	b.same("by subject", of, want)
	b.same("in the book", b.identities(0).Users, []access.User{want.User})
	_, err = b.Account(b.ctx(), "nobody")
	b.kind(err, job.NotFound)
	_, err = b.AccountOf(b.ctx(), "nobody")
	b.kind(err, job.NotFound)
	_, err = b.AccountOf(b.ctx(), "") // local accounts have none
	b.kind(err, job.NotFound)
	b.ok(b.RemoveUser(b.ctx(), "ivan"))
	b.kind(b.RemoveUser(b.ctx(), "ivan"), job.NotFound)
}

func userOnce(b *bench) {
	b.user("a")
	_, err := b.AddUser(b.ctx(), b.account("a"), false)
	b.kind(err, job.Conflict)
	foreign := b.account("b")
	foreign.Subject = "s"
	_, err = b.AddUser(b.ctx(), foreign, false)
	b.ok(err)
	foreign.Name = "c"
	_, err = b.AddUser(b.ctx(), foreign, false)
	b.kind(err, job.Conflict)
	b.user("d") // no subject is no subject
	b.same("users", len(b.identities(0).Users), 3)
}

func firstUser(b *bench) {
	var made atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, err := b.AddUser(b.ctx(), b.account(fmt.Sprint("admin", i)), true)
			switch {
			case err == nil:
				made.Add(1)
			case !job.Is(err, job.Conflict):
				b.Errorf("another first user: %v", err)
			}
		})
	}
	all.Wait()
	b.same("first users", made.Load(), int64(1))
}

func userEdited(b *bench) {
	u := b.user("a", overall(access.Viewer))
	version := b.identities(0).Version
	refused := errors.New("no")
	_, err := b.EditUser(b.ctx(), "a", func(a *users.Account) error {
		a.Title = changed
		return refused
	})
	if !errors.Is(err, refused) {
		b.Fatalf("got %v, want the error of edit", err)
	}
	b.same("after a refusal", b.stored("a").User, u)
	b.same("version", b.identities(version), (*users.Identities)(nil))
	_, err = b.EditUser(b.ctx(), "nobody", func(*users.Account) error { return nil })
	b.kind(err, job.NotFound)

	got, err := b.EditUser(b.ctx(), "a", func(a *users.Account) error {
		a.ID, a.Kind, a.Name, a.Subject = 0, access.Service, "b", "s" // these never change
		a.Title, a.Email, a.Disabled, a.MustChange, a.Password = changed, "a@example.com", true, true, "a new hash"
		a.Grants, a.Provided = nil, []access.Grant{overall(access.Owner)}
		a.Epoch++
		a.UpdatedAt = b.at(5)
		return nil
	})
	b.ok(err)
	u.Title, u.Email, u.Disabled, u.MustChange, u.Epoch, u.UpdatedAt = changed, "a@example.com", true, true, 2, b.at(5)
	u.Grants, u.Provided = nil, []access.Grant{overall(access.Owner)}
	b.same("what comes back", got, u)
	b.same("what is there", b.stored("a"), users.Account{User: u, Password: "a new hash"})
}

// lastAdministrator takes the administrators away at the same time: one stays.
func lastAdministrator(b *bench) {
	admin := overall(access.Administrator)
	narrow := access.Grant{Role: access.Administrator, Namespace: "a", Group: access.All}
	b.user("narrow", narrow)
	provided := b.account("provided")
	provided.Provided = []access.Grant{admin}
	_, err := b.AddUser(b.ctx(), provided, false)
	b.ok(err)
	service := b.account("service", admin)
	service.Kind = access.Service
	_, err = b.AddUser(b.ctx(), service, false)
	b.ok(err)
	off := b.account("off", admin)
	off.Disabled = true
	_, err = b.AddUser(b.ctx(), off, false)
	b.ok(err)
	var all sync.WaitGroup
	var gone atomic.Int64
	for i := range 6 {
		name := fmt.Sprint("admin-", i)
		b.user(name, admin)
		all.Go(func() {
			var err error
			switch i % 3 {
			case 0:
				err = b.RemoveUser(b.ctx(), name)
			case 1:
				_, err = b.EditUser(b.ctx(), name, func(a *users.Account) error {
					a.Disabled = true
					return nil
				})
			default:
				_, err = b.EditUser(b.ctx(), name, func(a *users.Account) error {
					a.Grants = []access.Grant{narrow}
					return nil
				})
			}
			if err == nil {
				gone.Add(1)
			}
		})
	}
	all.Wait()
	left := slices.DeleteFunc(b.identities(0).Users, func(u access.User) bool { return !u.Administers() })
	if len(left) == 0 {
		b.Fatal("there is no administrator any more")
	}
	for _, u := range left[1:] {
		b.ok(b.RemoveUser(b.ctx(), u.Name))
	}
	b.kind(b.RemoveUser(b.ctx(), left[0].Name), job.Conflict)
	_, err = b.EditUser(b.ctx(), left[0].Name, func(a *users.Account) error {
		a.Grants = nil
		return nil
	})
	b.kind(err, job.Conflict)
	_, err = b.EditUser(b.ctx(), "off", func(a *users.Account) error { // it was none before
		a.Grants = nil
		return nil
	})
	b.ok(err)
	b.ok(b.RemoveUser(b.ctx(), "narrow"))
}

func usersListed(b *bench) {
	for _, name := range []string{"c", "a", "b"} {
		b.user(name)
	}
	names := func(after string, limit int) string {
		users, err := b.Users(b.ctx(), after, limit)
		b.ok(err)
		var names []string
		for _, u := range users {
			names = append(names, u.Name)
		}
		return strings.Join(names, " ")
	}
	b.same("all", names("", 10), "a b c")
	b.same("a page", names("", 2), "a b")
	b.same("the next", names("b", 2), "c")
	b.same("the last", names("c", 2), "")
}

func apiTokenIsRead(b *bench) {
	a, c := b.user("a"), b.user("c")
	plain := b.apiToken(a, "k1")
	bound := b.apiToken(a, "k2", func(t *access.APIToken) {
		t.ExpiresAt, t.Limits = b.at(3600), []access.Grant{{Role: access.Viewer, Namespace: "n", Group: "g"}}
	})
	other := b.apiToken(c, "k3")
	b.ok(b.TouchUser(b.ctx(), a.ID, bound.ID, b.at(5)))
	b.reopen()
	bound.UsedAt = b.at(5)
	tokens, err := b.APITokens(b.ctx(), a.ID)
	b.ok(err)
	b.same("tokens", tokens, []access.APIToken{plain, bound})
	all := b.identities(0).Tokens
	slices.SortFunc(all, func(a, b users.Known) int { return int(a.ID - b.ID) })
	b.same("book", all, []users.Known{
		{APIToken: plain, Digest: "digest of k1"}, {APIToken: bound, Digest: "digest of k2"}, {APIToken: other, Digest: "digest of k3"},
	})
	b.same("seen", b.stored("a").SeenAt, b.at(5))

	_, err = b.AddAPIToken(b.ctx(), access.APIToken{UserID: c.ID, Key: "k1", CreatedAt: b.now}, "d")
	b.kind(err, job.Conflict)
	_, err = b.AddAPIToken(b.ctx(), access.APIToken{UserID: 1 << 40, Key: "k9", CreatedAt: b.now}, "d")
	b.kind(err, job.NotFound)
	b.kind(b.RemoveAPIToken(b.ctx(), c.ID, plain.ID), job.NotFound) // it is another user's
	b.ok(b.RemoveAPIToken(b.ctx(), a.ID, plain.ID))
	b.kind(b.RemoveAPIToken(b.ctx(), a.ID, plain.ID), job.NotFound)
	b.same("left", len(b.identities(0).Tokens), 2)
}

func apiTokenLimits(b *bench) {
	u := b.user("a")
	b.apiToken(u, "free")
	b.apiToken(u, "shut", func(t *access.APIToken) { t.Limits = []access.Grant{} })
	tokens, err := b.APITokens(b.ctx(), u.ID)
	b.ok(err)
	if tokens[0].Limits != nil || tokens[1].Limits == nil || len(tokens[1].Limits) != 0 {
		b.Errorf("limits are %#v and %#v, want none and an empty list", tokens[0].Limits, tokens[1].Limits)
	}
}

func apiTokenBound(b *bench) {
	u, other := b.user("a"), b.user("b")
	var made atomic.Int64
	var all sync.WaitGroup
	for i := range access.MaxUserTokens + 20 {
		all.Go(func() {
			_, err := b.AddAPIToken(b.ctx(), access.APIToken{UserID: u.ID, Key: fmt.Sprint(i), CreatedAt: b.now}, "d")
			switch {
			case err == nil:
				made.Add(1)
			case !job.Is(err, job.Full):
				b.Errorf("one too many: %v", err)
			}
		})
	}
	all.Wait()
	b.same("tokens", made.Load(), int64(access.MaxUserTokens))
	b.apiToken(other, "of-b")
}

func apiTokensGo(b *bench) {
	u, other := b.user("a"), b.user("b")
	b.apiToken(u, "k1")
	kept := b.apiToken(other, "k2")
	b.ok(b.RemoveUser(b.ctx(), "a"))
	b.same("left", b.identities(0).Tokens, []users.Known{{APIToken: kept, Digest: "digest of k2"}})
	b.apiToken(other, "k1") // free again
}

func identityVersion(b *bench) {
	version := b.identities(0).Version
	changes := func(what string, change func()) {
		b.Helper()
		change()
		next := b.identities(version)
		if next == nil || next.Version <= version {
			b.Fatalf("%s: identities are not returned after the change: %v", what, next)
		}
		version = next.Version
		if again := b.identities(version); again != nil {
			b.Errorf("%s: identities are returned again", what)
		}
	}
	var u access.User
	var t access.APIToken
	changes("a user", func() { u = b.user("a") })
	changes("a token", func() { t = b.apiToken(u, "k", func(t *access.APIToken) { t.ExpiresAt = b.now.Add(time.Hour) }) })
	changes("an edit", func() {
		_, err := b.EditUser(b.ctx(), "a", func(a *users.Account) error {
			a.Title = changed
			return nil
		})
		b.ok(err)
	})
	b.ok(b.TouchUser(b.ctx(), u.ID, t.ID, b.at(1)))
	if again := b.identities(version); again != nil {
		b.Error("identities are returned again without a change")
	}
	changes("a token less", func() { b.ok(b.RemoveAPIToken(b.ctx(), u.ID, t.ID)) })
	changes("a user less", func() { b.ok(b.RemoveUser(b.ctx(), "a")) })
}
