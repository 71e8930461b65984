package users

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// MaxPage bounds the users in a page.
const MaxPage = 500

// madeLength is the length of generated passwords, in characters.
const madeLength = 20

// CreateUser creates a user. A person gets the given password, or a generated one, which is
// returned only here. It must be changed before anything else. Kinds: Invalid, Conflict
// when the name is taken, Full, Unavailable.
func (u *Users) CreateUser(ctx context.Context, user access.User, password redacted.Text) (access.User, redacted.Text, error) {
	made := redacted.Text{}
	a := Account{User: user}
	now := time.Now().UTC().Truncate(time.Millisecond)
	a.ID, a.Epoch, a.CreatedAt, a.UpdatedAt, a.SeenAt = 0, 1, now, now, time.Time{}
	a.Provided, a.Subject, a.MustChange = nil, "", user.Kind == access.Person
	if err := a.Check(); err != nil {
		return access.User{}, made, err
	}
	if err := checkEmail(a.Email); err != nil {
		return access.User{}, made, err
	}
	switch {
	case a.Kind == access.Service && !password.IsZero():
		return access.User{}, made, job.FieldErrorf("password", "is not for a service: it has tokens only")
	case a.Kind == access.Service:
	case password.IsZero():
		made = redacted.New(letters(madeLength))
		password = made
	default:
		if err := checkPassword("password", password, &a.User); err != nil {
			return access.User{}, made, err
		}
	}
	if !password.IsZero() {
		var err error
		if a.Password, err = u.hasher.hashPassword(ctx, password); err != nil {
			return access.User{}, redacted.Text{}, err
		}
	}
	user, err := u.config.Store.AddUser(ctx, a, false)
	if err != nil {
		return access.User{}, redacted.Text{}, fmt.Errorf("make user %s: %w", a.Name, err)
	}
	u.changed(ctx)
	return user, made, nil
}

// AdoptUser creates a person with a password hash from another server, as [CheckForeign]
// describes it. The hash is replaced at the first sign-in. A password that would be refused
// here must be changed then. Kinds: Invalid, also for one of the passwords that attackers
// try first, Conflict when the name is taken, Full, Unavailable.
func (u *Users) AdoptUser(ctx context.Context, user access.User, hash redacted.Text) (access.User, error) {
	a := Account{User: user, Password: hash.Reveal()}
	now := time.Now().UTC().Truncate(time.Millisecond)
	a.ID, a.Epoch, a.CreatedAt, a.UpdatedAt, a.SeenAt = 0, 1, now, now, time.Time{}
	a.Provided, a.Subject, a.MustChange = nil, "", false
	if err := a.Check(); err != nil {
		return access.User{}, err
	}
	if err := checkEmail(a.Email); err != nil {
		return access.User{}, err
	}
	if a.Kind != access.Person {
		return access.User{}, job.FieldErrorf("password_hash", "is not for a service: it has tokens only")
	}
	if err := u.hasher.checkForeign(ctx, &a); err != nil {
		return access.User{}, err
	}
	user, err := u.config.Store.AddUser(ctx, a, false)
	if err != nil {
		return access.User{}, fmt.Errorf("make user %s: %w", a.Name, err)
	}
	u.changed(ctx)
	return user, nil
}

// User returns a user. Kinds: NotFound, Unavailable.
func (u *Users) User(ctx context.Context, name string) (access.User, error) {
	a, err := u.config.Store.Account(ctx, name)
	return a.User, err
}

// DescribeUser sets the title and the e-mail address of a user; nil leaves one unchanged.
// Kinds: Invalid, NotFound, Unavailable.
func (u *Users) DescribeUser(ctx context.Context, name string, title, email *string) (access.User, error) {
	if email != nil {
		if err := checkEmail(*email); err != nil {
			return access.User{}, err
		}
	}
	user, err := u.editUser(ctx, name, func(a *Account) error {
		if title != nil {
			a.Title = *title
		}
		if email != nil {
			a.Email = *email
		}
		return nil
	})
	if err != nil {
		return access.User{}, fmt.Errorf("change user %s: %w", name, err)
	}
	return user, nil
}

// checkEmail reports why a text cannot be the e-mail address of a user. An empty address is
// valid. It is checked only when an address is set, so that an invalid stored address does
// not block disabling its user.
func checkEmail(address string) error {
	if address == "" {
		return nil
	}
	return CheckEmail("email", address)
}

// SetDisabled disables or enables a user: password, sessions and tokens. Kinds: NotFound,
// Unavailable, and Conflict for the last administrator.
func (u *Users) SetDisabled(ctx context.Context, name string, disabled bool) (access.User, error) {
	user, err := u.editUser(ctx, name, func(a *Account) error {
		if a.Disabled != disabled {
			a.Disabled = disabled
			a.Epoch++
		}
		return nil
	})
	if err != nil {
		return access.User{}, fmt.Errorf("change user %s: %w", name, err)
	}
	return user, nil
}

// DeleteUser removes a user with its tokens and sessions. Kinds as for [Users.SetDisabled].
func (u *Users) DeleteUser(ctx context.Context, name string) error {
	if err := u.config.Store.RemoveUser(ctx, name); err != nil {
		return fmt.Errorf("remove user %s: %w", name, err)
	}
	u.changed(ctx)
	return nil
}
