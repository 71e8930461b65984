// Package users knows who may come in: users, service accounts, their passwords,
// API tokens and grants.
//
// It knows how passwords are hashed and compared, what a token looks like, who may
// grant what, and the limits of all that. It must never know HTTP, SQL, or what a
// caller is about to do. Names, passwords and tokens come in from the doors;
// principals go out, from memory: the rows are the truth and are looked at every
// second, so that what another server changed counts within two, and what this one
// changed at once. While the rows cannot be read nobody is let in.
//
// Rows hold no secret: a password is a slow hash, a token of 256 random bits a fast
// one. Neither comes back from here but once, when it is made.
package users

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
)

// Store keeps users and their tokens. What changes one is carried out in one
// transaction together with its checks. Kinds: Unavailable everywhere.
type Store interface {
	Accounts
	Finder
	Tokens
}

// Accounts is what changes users.
type Accounts interface {
	// AddUser writes a user and returns it with its id. Conflict when the name, or the
	// subject, is somebody's; Full when there are too many. With first it is only
	// written when there is no user at all, else Conflict.
	AddUser(ctx context.Context, a Account, first bool) (access.User, error)
	// EditUser lets edit change a user, and writes it. An error of edit is returned, and
	// nothing is changed. NotFound when there is none; Conflict when no administrator of
	// the whole server would be left.
	EditUser(ctx context.Context, name string, edit func(*Account) error) (access.User, error)
	// RemoveUser removes a user with its tokens. Kinds as for EditUser.
	RemoveUser(ctx context.Context, name string) error
}

// Finder reads users as they stand.
type Finder interface {
	// Account returns a user with its password, or NotFound.
	Account(ctx context.Context, name string) (Account, error)
	// AccountOf returns the user whom a provider of identities calls so, or NotFound.
	AccountOf(ctx context.Context, subject string) (Account, error)
	// Users returns users in order of their names, those after one, at most limit.
	Users(ctx context.Context, after string, limit int) ([]access.User, error)
}

// Tokens is what changes and lists tokens.
type Tokens interface {
	// AddAPIToken writes a token with its digest and returns it with its id. NotFound
	// when there is no such user, Full when there are too many, Conflict when the key is
	// taken.
	AddAPIToken(ctx context.Context, t access.APIToken, digest string) (access.APIToken, error)
	// RemoveAPIToken removes a token of a user, or returns NotFound.
	RemoveAPIToken(ctx context.Context, user, id int64) error
	// APITokens returns the tokens of a user in order of id.
	APITokens(ctx context.Context, user int64) ([]access.APIToken, error)
}

// Book is what callers are told by.
type Book interface {
	// Identities returns everybody, and nil when their version is still known.
	Identities(ctx context.Context, known int64) (*Identities, error)
	// TouchUser writes when a user was seen, and when a token of it was used; 0 for
	// none. One that is gone is no error.
	TouchUser(ctx context.Context, user, token int64, at time.Time) error
}

// Account is a user with its password.
type Account struct {
	access.User
	// Password is the hash; empty for who has none.
	Password string
}

// Identities are all users and tokens.
type Identities struct {
	Version int64 // at most as new as the rest
	Users   []access.User
	Tokens  []Known
}

// Known is a token as callers are told by it.
type Known struct {
	access.APIToken
	// Digest is the SHA-256 of the token in hex.
	Digest string
}
