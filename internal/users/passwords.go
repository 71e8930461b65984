package users

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// Check returns the user with the name and the password. An unknown user, a disabled one,
// and one without a password get the same error after the same work. Check replaces a hash
// that is foreign or weaker than new ones. Kinds: Unauthorized, Full while too many are
// being checked, Unavailable.
func (u *Users) Check(ctx context.Context, name string, password redacted.Text) (access.User, error) {
	if len(password.Reveal()) > maxPasswordBytes || len(name) > access.MaxUserName {
		name, password = "", redacted.New("refused") // the same work, and none for long texts
	}
	a, err := u.config.Store.Account(ctx, name)
	if err != nil && !job.Is(err, job.NotFound) {
		return access.User{}, fmt.Errorf("read a user: %w", err)
	}
	stored := a.Password
	good, better, err := u.hasher.check(ctx, stored, password)
	if err != nil {
		return access.User{}, err
	}
	if !good || stored == "" || a.Disabled || a.Kind != access.Person {
		return access.User{}, refused()
	}
	if better != "" {
		poor := foreign(stored) && checkPassword("password", password, &a.User) != nil
		return u.improve(ctx, &a, better, poor)
	}
	return a.User, nil
}

// improve stores a better hash of the same password. Sessions continue. A weak imported
// password must be changed before anything else.
func (u *Users) improve(ctx context.Context, a *Account, better string, poor bool) (access.User, error) {
	stored := a.Password
	user, err := u.config.Store.EditUser(ctx, a.Name, func(now *Account) error {
		if now.Password != stored {
			return refused() // changed since the check
		}
		now.Password = better
		now.MustChange = now.MustChange || poor
		return nil
	})
	if err != nil {
		return access.User{}, fmt.Errorf("make the hash of a password anew: %w", err)
	}
	return user, nil
}

// ChangePassword sets the password of a user who knows the old one. It ends all earlier
// sessions, and returns the epoch of new ones. Kinds: Unauthorized for a wrong old
// password, Invalid for a weak new one, Full, Unavailable.
func (u *Users) ChangePassword(ctx context.Context, name string, old, fresh redacted.Text) (access.User, error) {
	if _, err := u.Check(ctx, name, old); err != nil {
		return access.User{}, err
	}
	if old.Equal(fresh) {
		return access.User{}, job.FieldErrorf("new_password", "is the old one")
	}
	return u.setPassword(ctx, "new_password", name, fresh, false)
}

// SetPassword sets the password of a user for an administrator. It ends all the user's
// sessions. Unless final is set, the user must change the password before anything else.
// Kinds: Invalid for a weak password and for a service, NotFound, Full, Unavailable.
func (u *Users) SetPassword(ctx context.Context, name string, fresh redacted.Text, final bool) (access.User, error) {
	return u.setPassword(ctx, "password", name, fresh, !final)
}

func (u *Users) setPassword(ctx context.Context, field, name string, fresh redacted.Text, mustChange bool) (access.User, error) {
	a, err := u.config.Store.Account(ctx, name)
	if err != nil {
		return access.User{}, fmt.Errorf("set the password of user %s: %w", name, err)
	}
	if err := checkPassword(field, fresh, &a.User); err != nil {
		return access.User{}, err
	}
	hash, err := u.hasher.hashPassword(ctx, fresh)
	if err != nil {
		return access.User{}, err
	}
	stored := a.Password
	user, err := u.editUser(ctx, name, func(a *Account) error {
		if a.Kind != access.Person {
			return job.Errorf(job.Invalid, "user %s is a service, which has no password: give it a token", a.Name)
		}
		if a.Password != stored {
			return job.Errorf(job.Conflict, "the password of user %s has changed meanwhile", a.Name)
		}
		a.Password, a.MustChange = hash, mustChange
		a.Epoch++
		return nil
	})
	if err != nil {
		return access.User{}, fmt.Errorf("set the password of user %s: %w", name, err)
	}
	u.config.Changed(user.Name)
	return user, nil
}

// editUser changes a user by a function, and updates this server's snapshot.
func (u *Users) editUser(ctx context.Context, name string, change func(*Account) error) (access.User, error) {
	user, err := u.config.Store.EditUser(ctx, name, func(a *Account) error {
		if err := change(a); err != nil {
			return err
		}
		a.UpdatedAt = time.Now().UTC().Truncate(time.Millisecond)
		return a.Check()
	})
	if err == nil {
		u.changed(ctx)
	}
	return user, err
}

func refused() error {
	return &job.Error{
		Kind: job.Unauthorized, Message: "the name or the password is wrong, or the account is not to be used",
		Hint: "an administrator can set another password with 'orth user password'",
	}
}
