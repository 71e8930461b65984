package users

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// UserState is the state of an account.
type UserState string

// The states of accounts. The empty one matches any.
const (
	// UserActive: it can be used.
	UserActive UserState = "active"
	// UserDisabled: it cannot be used.
	UserDisabled UserState = "disabled"
	// UserMustChange: another user set its password, which must be changed.
	UserMustChange UserState = "must_change"
)

// The orders of users.
const (
	UsersByName    = "name"
	UsersByCreated = "created_at"
	UsersBySeen    = "seen_at"
)

// UserMark is the position of a user in an order: the next page starts behind it.
type UserMark struct {
	Value int64 // milliseconds since 1970, UTC; 0 in the order of names
	Name  string
}

// UserQuery selects users. The zero value selects all, in order of their names.
type UserQuery struct {
	Kind  access.Kind
	State UserState
	// Role and Namespace select users with a grant of this role, in this namespace. With
	// both, one grant must match both. "*" selects the grants in all namespaces; no other
	// value does.
	Role      access.Role
	Namespace string
	By        string // one of the orders; empty is UsersByName
	Down      bool   // descending; users without a value are last in both orders
	After     *UserMark
	Limit     int // [MaxPage] at most and by default
}

// check returns an error that names the invalid field of a query.
func (q *UserQuery) check() error {
	switch {
	case q.Kind != "" && q.Kind != access.Person && q.Kind != access.Service:
		return job.FieldErrorf("kind", "%q is not a kind of user; use %s or %s", q.Kind, access.Person, access.Service)
	case !slices.Contains([]UserState{"", UserActive, UserDisabled, UserMustChange}, q.State):
		return job.FieldErrorf("state", "%q is no state of a user; use %s, %s or %s", q.State, UserActive, UserDisabled, UserMustChange)
	case q.Role != "" && !slices.Contains(access.Roles(), q.Role):
		return job.FieldErrorf("role", "%q is no role; use one of %v", q.Role, access.Roles())
	case !slices.Contains([]string{"", UsersByName, UsersByCreated, UsersBySeen}, q.By):
		return job.FieldErrorf("sort", "%q is no order of users; use %s, %s or %s", q.By, UsersByName, UsersByCreated, UsersBySeen)
	}
	return nil
}

// selects reports whether the query selects a user.
func (q *UserQuery) selects(u *access.User) bool {
	granted := func(g access.Grant) bool {
		return (q.Role == "" || g.Role == q.Role) && (q.Namespace == "" || g.Namespace == q.Namespace)
	}
	return (q.Kind == "" || u.Kind == q.Kind) && (q.State == "" || stateOf(u) == q.State) &&
		(q.Role == "" && q.Namespace == "" || slices.ContainsFunc(u.Everything(), granted))
}

func stateOf(u *access.User) UserState {
	switch {
	case u.Disabled:
		return UserDisabled
	case u.MustChange:
		return UserMustChange
	}
	return UserActive
}

// MarkOf returns the position of a user in the query's order.
func (q *UserQuery) MarkOf(u *access.User) UserMark {
	m := UserMark{Name: u.Name}
	switch q.By {
	case UsersByCreated:
		m.Value = job.Millis(u.CreatedAt)
	case UsersBySeen:
		m.Value = job.Millis(u.SeenAt)
	}
	return m
}

// compare compares two positions.
func (q *UserQuery) compare(a, b UserMark) int {
	if q.By == "" || q.By == UsersByName {
		if q.Down {
			a, b = b, a
		}
		return strings.Compare(a.Name, b.Name)
	}
	if a.Value == 0 || b.Value == 0 { // users without a value are last in both orders
		if none := cmp.Compare(b.Value, a.Value); none != 0 {
			return none
		}
	}
	order := cmp.Compare(a.Value, b.Value)
	if q.Down {
		order = -order
	}
	return cmp.Or(order, strings.Compare(a.Name, b.Name))
}

// Users returns the users of the query in its order, and whether there are more. It reads
// rows in order of names. Any other order reads all of them, at most 10,000. Kinds: Invalid
// with the field at fault, Unavailable.
func (u *Users) Users(ctx context.Context, q UserQuery) (found []access.User, more bool, err error) {
	if err := q.check(); err != nil {
		return nil, false, err
	}
	if q.Limit <= 0 || q.Limit > MaxPage {
		q.Limit = MaxPage
	}
	after, named := "", (q.By == "" || q.By == UsersByName) && !q.Down
	if named && q.After != nil {
		after = q.After.Name
	}
	for {
		part, err := u.config.Store.Users(ctx, after, MaxPage)
		if err != nil {
			return nil, false, err
		}
		for i := range part {
			if q.selects(&part[i]) && (q.After == nil || q.compare(q.MarkOf(&part[i]), *q.After) > 0) {
				found = append(found, part[i])
			}
		}
		if len(part) < MaxPage || named && len(found) > q.Limit {
			break
		}
		after = part[len(part)-1].Name
	}
	slices.SortFunc(found, func(a, b access.User) int { return q.compare(q.MarkOf(&a), q.MarkOf(&b)) })
	return found[:min(q.Limit, len(found))], len(found) > q.Limit, nil
}
