// Package auth knows who speaks for executors: whose a token is that somebody
// shows.
//
// It knows the tokens of groups, as hashes, and which groups take no other. It
// must never know protocols, SQL, or what a caller is about to do. Tokens come in
// from the doors; callers go out, from memory: the rows are the truth and are
// looked at every few seconds, so a token that another server removed ends within
// five, and one that this server removed at once. While the rows cannot be read
// nobody is let in: nothing could be written for them either.
package auth

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store keeps the tokens of groups.
type Store interface {
	Tokens
	Book
}

// Tokens is what users change.
type Tokens interface {
	// AddGroupToken writes a new token and returns it with its id. The group is
	// made when it does not exist; Full when there are too many groups, or
	// tokens of the group.
	AddGroupToken(ctx context.Context, t job.GroupToken) (job.GroupToken, error)
	// RemoveGroupToken removes one, or returns NotFound.
	RemoveGroupToken(ctx context.Context, group string, id int64) error
	// GroupTokens returns the tokens of a group in order of id, without their
	// hashes, and whether it takes no other. NotFound when there is no such group.
	GroupTokens(ctx context.Context, group string) ([]job.GroupToken, bool, error)
	// SaveOwnTokenOnly says whether a group takes no tokens but its own. NotFound
	// when there is no such group; Conflict when it shall and has none.
	SaveOwnTokenOnly(ctx context.Context, group string, only bool) error
}

// Book is what callers are told by.
type Book interface {
	// Callers returns all tokens and all groups that take no others, and nil when
	// their version is still known.
	Callers(ctx context.Context, known int64) (*Callers, error)
	// TouchGroupToken writes when a token was used. One that is gone is no error.
	TouchGroupToken(ctx context.Context, id int64, at time.Time) error
}

// Callers is everybody who has a token of a group.
type Callers struct {
	Version int64 // at most as new as the rest
	Tokens  []Known
	Closed  []job.Group // that take no tokens but their own; ids and keys
}

// Known is a token as callers are told by it.
type Known struct {
	ID      int64
	GroupID int64
	Group   string
	Hash    string
	UsedAt  time.Time
}
