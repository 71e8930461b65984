package users

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// FirstName is the name of the user that the first start creates.
const FirstName = "admin"

// First creates an administrator of the whole server when there is no user, and reports
// whether it did. The random password must be changed before anything else. keep stores the
// password before the user is created: after an error of keep there is no user.
func (u *Users) First(ctx context.Context, keep func(password redacted.Text) error) (made bool, err error) {
	some, err := u.config.Store.Users(ctx, "", 1)
	if err != nil || len(some) > 0 {
		return false, err
	}
	password := redacted.New(letters(madeLength))
	now := time.Now().UTC().Truncate(time.Millisecond)
	a := Account{User: access.User{
		Kind: access.Person, Name: FirstName, Title: "Administrator", MustChange: true, Epoch: 1, CreatedAt: now, UpdatedAt: now,
		Grants: []access.Grant{{Role: access.Administrator, Namespace: access.All, Group: access.All}},
	}}
	if a.Password, err = u.hasher.hashPassword(ctx, password); err != nil {
		return false, err
	}
	if err := keep(password); err != nil {
		return false, fmt.Errorf("keep the password of user %s: %w", FirstName, err)
	}
	switch _, err := u.config.Store.AddUser(ctx, a, true); {
	case job.Is(err, job.Conflict):
		return false, nil // another server was faster
	case err != nil:
		return false, fmt.Errorf("make user %s: %w", FirstName, err)
	}
	u.changed(ctx)
	return true, nil
}
