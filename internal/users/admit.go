package users

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// Foreign is a person as a provider of identities tells of it.
type Foreign struct {
	// Subject is what the provider calls the person, with the provider before it. It
	// never changes and is never given to another one.
	Subject string
	// Name is that of the account, when it is made.
	Name, Title, Email string
	// Grants replace those that the provider gave before.
	Grants []access.Grant
}

// Admit returns the account of a person whom a provider of identities vouches for,
// which is made at the first sign-in. An account of the same name that is not the
// provider's stays what it is: nobody comes to it this way. Kinds: Unauthorized for a
// disabled one, Conflict for a name that is somebody else's, Invalid, Full, Unavailable.
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
	user, err := u.edit(ctx, a.Name, func(a *Account) error {
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

// settle makes the account of somebody who was never here.
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
