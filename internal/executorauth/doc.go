// Package executorauth knows who speaks for executors: whose a token is that somebody
// shows.
//
// It knows the tokens of groups, those that are kept in rows and those that are made of
// the server's executor key, which groups take only the former, and which shared and
// well-known tokens an operator admits for the time of a migration. It must never know
// protocols, SQL, or what a caller is about to do. Tokens come in from the doors;
// callers go out, and what is to be shown to executors, from memory: the rows are
// the truth and are looked at every two seconds, so a token that another server
// removed ends within five, and one that this server removed at once. While the
// rows cannot be read nobody is let in: nothing could be written for them either.
//
// Rows hold the hash of a token, by which callers are told, and the token itself
// sealed with a key that is kept elsewhere. It is opened once, when it is read.
package executorauth

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store keeps group tokens.
type Store interface {
	Tokens
	Book
	// GroupID returns the id of a group, or NotFound.
	GroupID(ctx context.Context, group string) (int64, error)
}

// Tokens changes and lists group tokens.
type Tokens interface {
	// AddGroupToken stores a new token and returns it with its id. It creates a missing
	// group. Full when there are too many groups, or tokens of the group; Conflict when a
	// token has the same hash.
	AddGroupToken(ctx context.Context, t job.GroupToken) (job.GroupToken, error)
	// RemoveGroupToken removes one, or returns NotFound.
	RemoveGroupToken(ctx context.Context, group string, id int64) error
	// GroupTokens returns the tokens of a group in order of id, and whether the group
	// accepts only those. NotFound when there is no such group.
	GroupTokens(ctx context.Context, group string) ([]job.GroupToken, bool, error)
	// ChangeGroup changes the description of a group, and whether it accepts only its own
	// tokens. NotFound; Conflict when it has another version, or would accept only its own
	// tokens and has none.
	ChangeGroup(ctx context.Context, group string, change job.GroupChange) error
}

// Book provides the snapshot for authentication.
type Book interface {
	// Callers returns all tokens and all groups that accept only their own, or nil when the
	// version is still known.
	Callers(ctx context.Context, known int64) (*Callers, error)
	// TouchGroupToken records when a token was used. A deleted one is no error.
	TouchGroupToken(ctx context.Context, id int64, at time.Time) error
}

// Callers holds all group tokens.
type Callers struct {
	Version int64 // not newer than the rest
	Tokens  []Known
	Closed  []job.Group // that accept only their own tokens; ids and keys
}

// Known is a token with its hash.
type Known struct {
	ID      int64
	GroupID int64
	Group   string
	Hash    string
	Sealed  string // empty when created without a Sealer
	UsedAt  time.Time
}

// Executors returns the live executors, and the token that each sent last.
type Executors interface {
	Executors() []job.Executor
}
