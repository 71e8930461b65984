package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// The sequences of users: of their ids, and the version of all of them with their
// tokens.
const (
	sequenceUsers    = "users"
	sequenceIdentity = "identity"
)

// maxUsers bounds the users of a server.
const maxUsers = 10_000

const (
	userColumns = `id, kind, name, title, email, disabled, must_change, subject, grants, provided, epoch, created_at, updated_at, seen_at`

	// By a scan of at most maxUsers rows.
	countUsers = `SELECT COUNT(*) FROM users`
	// By users' primary key.
	insertUser = `INSERT INTO users (id, kind, name, title, email, disabled, must_change, password, subject, grants, provided, administers, epoch, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// By users' unique name.
	findUserName = `SELECT id FROM users WHERE name = ?`
	// By users_subject.
	findSubject = `SELECT name FROM users WHERE subject = ? AND subject > ''`
	// By users' unique name.
	readAccount = `SELECT ` + userColumns + `, password FROM users WHERE name = ?`
	// By users_subject.
	readAccountOf = `SELECT ` + userColumns + `, password FROM users WHERE subject = ? AND subject > ''`
	// By users_administers.
	otherAdministrators = `SELECT COUNT(*) FROM users WHERE administers > 0 AND id <> ?`
	// By users' primary key.
	updateUser = `UPDATE users SET title = ?, email = ?, disabled = ?, must_change = ?, password = ?, grants = ?, provided = ?,
		administers = ?, epoch = ?, updated_at = ? WHERE id = ?`
	// By users' primary key.
	deleteUser = `DELETE FROM users WHERE id = ?`
	// By users' primary key.
	touchUser = `UPDATE users SET seen_at = ? WHERE id = ? AND seen_at < ?`
	// By users' unique name, in its order.
	listUsers = `SELECT ` + userColumns + ` FROM users WHERE name > ? ORDER BY name LIMIT ?`
	// By a scan of at most maxUsers rows, when they have changed.
	everyUser = `SELECT ` + userColumns + ` FROM users`
)

// AddUser writes a user and returns it with its id; with first only when there is no
// other. Kinds: Conflict, Full.
func (s *Store) AddUser(ctx context.Context, a users.Account, first bool) (access.User, error) {
	grants, provided, err := encodeGrants(&a.User)
	if err != nil {
		return access.User{}, err
	}
	err = s.writer.update(ctx, func(t *tx) error {
		if err := t.userIsNew(&a.User, first); err != nil {
			return err
		}
		id, err := t.reserve(sequenceUsers, 1)
		if err != nil {
			return err
		}
		a.ID = id
		t.names("user", "", "", a.Name)
		err = t.do(insertUser, id, string(a.Kind), a.Name, a.Title, a.Email, bit(a.Disabled), bit(a.MustChange), a.Password, a.Subject,
			grants, provided, bit(a.Administers()), a.Epoch, job.Millis(a.CreatedAt), job.Millis(a.UpdatedAt))
		if err != nil {
			return err
		}
		return t.touchIdentity()
	})
	if err != nil {
		return access.User{}, err
	}
	return a.User, nil
}

// userIsNew reports why a user cannot be written.
func (t *tx) userIsNew(u *access.User, first bool) error {
	var n, id int64
	if _, err := t.read(countUsers, nil, []any{&n}); err != nil {
		return err
	}
	switch {
	case first && n > 0:
		return job.Errorf(job.Conflict, "there is a user already")
	case n >= maxUsers:
		return job.Errorf(job.Full, "there are %d users already, which is the most", n)
	}
	found, err := t.read(findUserName, []any{u.Name}, []any{&id})
	if err != nil {
		return err
	}
	if found {
		taken := job.Errorf(job.Conflict, "there is a user %s already", u.Name)
		taken.Field = "name"
		return taken
	}
	if u.Subject == "" {
		return nil
	}
	var name string
	if found, err = t.read(findSubject, []any{u.Subject}, []any{&name}); err == nil && found {
		err = job.Errorf(job.Conflict, "user %s is the account of this person already", name)
	}
	return err
}

// EditUser lets edit change a user, and writes it, in one transaction. Kinds:
// NotFound, Conflict for the last administrator, and those of edit.
func (s *Store) EditUser(ctx context.Context, name string, edit func(*users.Account) error) (access.User, error) {
	var a users.Account
	err := s.writer.update(ctx, func(t *tx) error {
		var err error
		if a, err = t.account(name); err != nil {
			return err
		}
		was := a
		if err := edit(&a); err != nil {
			return err
		}
		a.ID, a.Kind, a.Name, a.Subject = was.ID, was.Kind, was.Name, was.Subject
		if err := t.administered(&was.User, a.Administers()); err != nil {
			return err
		}
		grants, provided, err := encodeGrants(&a.User)
		if err != nil {
			return err
		}
		if err := t.do(updateUser, a.Title, a.Email, bit(a.Disabled), bit(a.MustChange), a.Password, grants, provided,
			bit(a.Administers()), a.Epoch, job.Millis(a.UpdatedAt), a.ID); err != nil {
			return err
		}
		return t.touchIdentity()
	})
	if err != nil {
		return access.User{}, err
	}
	return a.User, nil
}

// administered returns a Conflict when no user would administer the server any more.
func (t *tx) administered(was *access.User, still bool) error {
	if still || !was.Administers() {
		return nil
	}
	var others int64
	if _, err := t.read(otherAdministrators, []any{was.ID}, []any{&others}); err != nil || others > 0 {
		return err
	}
	return &job.Error{
		Kind: job.Conflict, Message: "user " + was.Name + " is the last administrator of the whole server",
		Hint: "grant another user admin first: 'orth user grant NAME admin'",
	}
}

// RemoveUser removes a user with its tokens. Kinds: NotFound, Conflict for the last
// administrator.
func (s *Store) RemoveUser(ctx context.Context, name string) error {
	return s.writer.update(ctx, func(t *tx) error {
		a, err := t.account(name)
		if err != nil {
			return err
		}
		if err := t.administered(&a.User, false); err != nil {
			return err
		}
		if err := t.do(deleteUserTokens, a.ID); err != nil {
			return err
		}
		if err := t.do(deleteUser, a.ID); err != nil {
			return err
		}
		return t.touchIdentity()
	})
}

// account reads a user in the transaction. Kinds: NotFound.
func (t *tx) account(name string) (a users.Account, err error) {
	found, err := t.read(readAccount, []any{name}, accountFields(&a))
	if err == nil && !found {
		err = noUser(name)
	}
	return a, err
}

// Account returns a user with its password. Kinds: NotFound.
func (s *Store) Account(ctx context.Context, name string) (users.Account, error) {
	a, found, err := first(ctx, s.reader, accountFields, readAccount, name)
	if err == nil && !found {
		err = noUser(name)
	}
	return a, err
}

// AccountOf returns the user with this subject at an identity provider. Kinds: NotFound.
func (s *Store) AccountOf(ctx context.Context, subject string) (users.Account, error) {
	a, found, err := first(ctx, s.reader, accountFields, readAccountOf, subject)
	if err == nil && !found {
		err = job.Errorf(job.NotFound, "no user has this account")
	}
	return a, err
}

// Users returns users in order of their names, those after one.
func (s *Store) Users(ctx context.Context, after string, limit int) ([]access.User, error) {
	return list(ctx, s.reader, userFields, listUsers, after, page(limit))
}

// Identities returns all users and tokens, and nil when their version is still known.
// What it returns is at least as new as its version.
func (s *Store) Identities(ctx context.Context, known int64) (*users.Identities, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	version, found, err := first(ctx, s.reader, number, readSequence, sequenceIdentity)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, job.Errorf(job.Internal, "the sequence %s does not exist", sequenceIdentity)
	case version == known:
		return nil, nil //nolint:nilnil // The contract requires it.
	}
	all := &users.Identities{Version: version}
	if all.Users, err = list(ctx, s.reader, userFields, everyUser); err != nil {
		return nil, err
	}
	all.Tokens, err = list(ctx, s.reader, knownFields, everyAPIToken)
	return all, err
}

// TouchUser records when a user was seen, and a token of the user was used; 0 for none.
// Deleted ones are no error.
func (s *Store) TouchUser(ctx context.Context, user, token int64, at time.Time) error {
	return s.writer.submit(ctx, func(t *tx) error { // no change that anybody wants
		if err := t.do(touchUser, job.Millis(at), user, job.Millis(at)); err != nil || token == 0 {
			return err
		}
		return t.do(touchAPIToken, job.Millis(at), token, job.Millis(at))
	})
}

// touchIdentity records that users or tokens have changed.
func (t *tx) touchIdentity() error {
	return t.do(advanceSequence, 1, sequenceIdentity)
}

func noUser(name string) error {
	missing := job.Errorf(job.NotFound, "there is no user %s", name)
	missing.Hint = "'orth user list' shows those there are"
	return missing
}

// encodeGrants returns both lists of a user's grants as JSON; none are [].
func encodeGrants(u *access.User) (grants, provided string, err error) {
	if grants, err = encode(append([]access.Grant{}, u.Grants...)); err == nil {
		provided, err = encode(append([]access.Grant{}, u.Provided...))
	}
	return grants, provided, err
}

func userFields(u *access.User) []any {
	return []any{
		(*integer)(&u.ID), (*text)(&u.Kind), (*text)(&u.Name), (*text)(&u.Title), (*text)(&u.Email), (*truth)(&u.Disabled), (*truth)(&u.MustChange),
		(*text)(&u.Subject),
		document[[]access.Grant]{&u.Grants},
		document[[]access.Grant]{&u.Provided},
		(*integer)(&u.Epoch),
		(*instant)(&u.CreatedAt), (*instant)(&u.UpdatedAt), (*instant)(&u.SeenAt),
	}
}

func accountFields(a *users.Account) []any {
	return append(userFields(&a.User), (*text)(&a.Password))
}
