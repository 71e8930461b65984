package users

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// Held is a grant of a user.
type Held struct {
	User string
	access.Grant
	// Provided means that the identity provider gave it.
	Provided bool
}

// GiveGrant grants a user a role in a place. A grant that the user has already is no error.
// Kinds: Invalid, NotFound, Unavailable, and Forbidden for a caller who lacks the role
// there or grants it to itself.
func (u *Users) GiveGrant(ctx context.Context, name string, g access.Grant) (access.User, error) {
	if err := u.mayGive(ctx, g); err != nil {
		return access.User{}, err
	}
	caller := u.config.Caller(ctx)
	user, err := u.editUser(ctx, name, func(a *Account) error {
		if a.ID == caller.ID {
			return job.Errorf(job.Forbidden, "nobody grants himself a role: ask another owner or administrator")
		}
		if !slices.Contains(a.Grants, g) {
			a.Grants = append(slices.Clone(a.Grants), g)
			a.Epoch++
		}
		return nil
	})
	if err != nil {
		return access.User{}, fmt.Errorf("grant %s to user %s: %w", g, name, err)
	}
	return user, nil
}

// TakeGrant revokes a grant of a user, who may be the caller. Kinds: Invalid, NotFound when
// the user does not have it, Unavailable, Forbidden for a caller who could not give it.
// Conflict for the last administrator, and for a grant of the identity provider.
func (u *Users) TakeGrant(ctx context.Context, name string, g access.Grant) (access.User, error) {
	if err := u.mayGive(ctx, g); err != nil {
		return access.User{}, err
	}
	user, err := u.editUser(ctx, name, func(a *Account) error {
		at := slices.Index(a.Grants, g)
		switch {
		case at >= 0:
			a.Grants = slices.Delete(slices.Clone(a.Grants), at, at+1)
			a.Epoch++
			return nil
		case slices.Contains(a.Provided, g):
			return &job.Error{
				Kind: job.Conflict, Message: "user " + a.Name + " has " + g.String() + " from the provider of identities",
				Hint: "take the user out of the group there; it counts from the next sign-in on",
			}
		}
		return job.Errorf(job.NotFound, "user %s does not have %s", a.Name, g)
	})
	if err != nil {
		return access.User{}, fmt.Errorf("take %s from user %s: %w", g, name, err)
	}
	return user, nil
}

// mayGive reports why the caller may not give or revoke a grant.
func (u *Users) mayGive(ctx context.Context, g access.Grant) error {
	if err := g.Check(); err != nil {
		return err
	}
	caller := u.config.Caller(ctx)
	if !caller.MayGive(g) {
		return access.Denied(&caller, g.Giving())
	}
	return nil
}

// Grants returns the visible grants of the users behind after, in order of their names. It
// stops at the first user with which there are limit grants or more: a user's grants are
// never split. Empty filters match everything. Kinds: Unavailable.
func (u *Users) Grants(ctx context.Context, sight access.Sight, namespace, user, after string, limit int) ([]Held, error) {
	b, err := u.fresh(ctx)
	if err != nil {
		return nil, err
	}
	var all []Held
	for _, name := range slices.Sorted(maps.Keys(b.byName)) {
		if name <= after || user != "" && name != user {
			continue
		}
		p := &b.byName[name].user
		for i, g := range p.Everything() {
			if o := g.Object(); sight.Sees(o) && (namespace == "" || g.Namespace == namespace) {
				all = append(all, Held{User: name, Grant: g, Provided: i >= len(p.Grants)})
			}
		}
		if len(all) >= limit {
			break
		}
	}
	return all, nil
}
