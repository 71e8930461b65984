// Package users authenticates users and service accounts, and manages their passwords, API
// tokens and grants.
//
// It knows how passwords are hashed, what a token looks like, who may grant what, and the
// limits of all that. It does not know HTTP, SQL, or what a caller is about to do. Callers
// are authenticated from memory, which is refreshed from the rows every second. A change by
// another server counts within two seconds, one by this server at once. While the rows
// cannot be read, every caller is refused.
//
// Rows hold no secret: a password is stored as a slow hash, a token of 256 random bits as a
// fast one. Both are returned only once, when they are created.
package users

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
)

// Store keeps users and their tokens. A change and its checks run in one transaction.
// Kinds: Unavailable everywhere.
type Store interface {
	Accounts
	Finder
	Tokens
}

// Accounts changes users.
type Accounts interface {
	// AddUser stores a user and returns it with its id. Conflict when the name or the
	// subject is taken; Full when there are too many. With first it also returns Conflict
	// when there is any user.
	AddUser(ctx context.Context, a Account, first bool) (access.User, error)
	// EditUser changes a user by edit, and stores it. An error of edit is returned, and
	// changes nothing. NotFound when there is none; Conflict when no administrator of the
	// whole server would be left.
	EditUser(ctx context.Context, name string, edit func(*Account) error) (access.User, error)
	// RemoveUser removes a user with its tokens. Kinds as for EditUser.
	RemoveUser(ctx context.Context, name string) error
}

// Finder reads users from the rows.
type Finder interface {
	// Account returns a user with its password, or NotFound.
	Account(ctx context.Context, name string) (Account, error)
	// AccountOf returns the user with a provider's subject, or NotFound.
	AccountOf(ctx context.Context, subject string) (Account, error)
	// Users returns at most limit users, in order of their names, those behind after.
	Users(ctx context.Context, after string, limit int) ([]access.User, error)
}

// Tokens changes and lists tokens.
type Tokens interface {
	// AddAPIToken stores a token with its digest and returns it with its id. NotFound when
	// there is no such user, Full when there are too many, Conflict when the key is taken.
	AddAPIToken(ctx context.Context, t access.APIToken, digest string) (access.APIToken, error)
	// RemoveAPIToken removes a token of a user, or returns NotFound.
	RemoveAPIToken(ctx context.Context, user, id int64) error
	// APITokens returns the tokens of a user in order of id.
	APITokens(ctx context.Context, user int64) ([]access.APIToken, error)
}

// Book provides the snapshot for authentication.
type Book interface {
	// Identities returns all users and tokens, or nil when the version is still known.
	Identities(ctx context.Context, known int64) (*Identities, error)
	// TouchUser records when a user was seen, and when a token of it was used; 0 for none.
	// A deleted one is no error.
	TouchUser(ctx context.Context, user, token int64, at time.Time) error
}

// Account is a user with its password.
type Account struct {
	access.User
	// Password is the hash; empty for none.
	Password string
}

// Identities are all users and tokens.
type Identities struct {
	Version int64 // not newer than the rest
	Users   []access.User
	Tokens  []Known
}

// Known is a token with its digest.
type Known struct {
	access.APIToken
	// Digest is the SHA-256 of the token in hex.
	Digest string
}
