package users

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// Foreign is a person as an identity provider describes it.
type Foreign struct {
	// Subject is the provider's identifier of the person, prefixed by the provider. It
	// never changes and is never reused.
	Subject string
	// Name is the name of a new account.
	Name, Title, Email string
	// Grants replace the grants that the provider gave before.
	Grants []access.Grant
}

// Admit returns the account of a person whom an identity provider has authenticated, and
// creates it at the first sign-in. It never signs in to an account of the same name that
// does not belong to the provider. Kinds: Unauthorized for a disabled account, Conflict for
// a name of another account, Invalid, Full, Unavailable.
func (u *Users) Admit(ctx context.Context, f Foreign) (access.User, error) {
	if f.Subject == "" || len(f.Subject) > 1024 {
		return access.User{}, job.Errorf(job.Invalid, "the provider of identities does not say who it is")
	}
	if err := access.CheckGrants("grants", f.Grants); err != nil {
		return access.User{}, err
	}
	a, err := u.config.Store.AccountOf(ctx, f.Subject)
	switch {
	case job.Is(err, job.NotFound):
		return u.settle(ctx, &f)
	case err != nil:
		return access.User{}, fmt.Errorf("read the account of who signs in: %w", err)
	case a.Disabled:
		return access.User{}, refused()
	}
	if a.Title == f.Title && a.Email == f.Email && slices.Equal(a.Provided, f.Grants) {
		return a.User, nil
	}
	user, err := u.editUser(ctx, a.Name, func(a *Account) error {
		if a.Subject != f.Subject || a.Disabled {
			return refused()
		}
		a.Title, a.Email = f.Title, f.Email
		if !slices.Equal(a.Provided, f.Grants) {
			a.Provided = f.Grants
			a.Epoch++
		}
		return nil
	})
	if err != nil {
		return access.User{}, fmt.Errorf("sign in user %s: %w", a.Name, err)
	}
	return user, nil
}

// settle creates the account of a person at the first sign-in.
func (u *Users) settle(ctx context.Context, f *Foreign) (access.User, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	a := Account{User: access.User{
		Kind: access.Person, Name: f.Name, Title: f.Title, Email: f.Email, Provided: f.Grants, Subject: f.Subject,
		Epoch: 1, CreatedAt: now, UpdatedAt: now,
	}}
	if err := a.Check(); err != nil {
		return access.User{}, fmt.Errorf("make the account of who signs in: %w", err)
	}
	user, err := u.config.Store.AddUser(ctx, a, false)
	if err != nil {
		return access.User{}, fmt.Errorf("make user %s, who signs in: %w", f.Name, err)
	}
	u.changed(ctx)
	return user, nil
}
