package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"
)

// PruneOperation is the operation whose lines say which lines were removed.
const PruneOperation = "prune-audit"

// MaxPage is the most lines that are read at once.
const MaxPage = 1000

// Actor is who did something.
type Actor struct {
	// Kind is one of package access.
	Kind string
	// ID is the user's, 0 for the server itself. Credential is that of the token or
	// session, 0 for none.
	ID, Credential int64
	// Name is the user's at that time.
	Name string
}

// Line is one state change.
type Line struct {
	// Seq counts the lines from 1, without holes.
	Seq int64
	// At is never before that of the line before, in whole milliseconds.
	At    time.Time
	Actor Actor
	// Address is where the request came from, without the port.
	Address string
	// Operation is the id of the operation, as the OpenAPI document has it, and Right
	// the right that was used.
	Operation, Right string
	// Kind, Namespace, Group and Key name the object; empty for what it has not.
	Kind, Namespace, Group, Key string
	// Before and After are JSON texts of what is stored about the object; empty for
	// nothing.
	Before, After string
	// Previous is the digest of the line before, empty in the first one, and Digest
	// the line's own, both in hex.
	Previous, Digest string
}

// Query finds lines. The zero value finds the newest 100 of all.
type Query struct {
	// Actor, Operation, Kind, Namespace and Key are exact; empty is any.
	Actor, Operation, Kind, Namespace, Key string
	// From and Until bound the instants: at or after, and before. Zero is none.
	From, Until time.Time
	// After is the number of the last line of the page before; 0 begins.
	After int64
	// Oldest says that the oldest come first; else the newest.
	Oldest bool
	// Limit is the most lines. Defaults to 100, and is [MaxPage] at most.
	Limit int
}

// version is the first part of what is digested: another one is another encoding.
const version = "orth audit 1"

// canonical returns the bytes that stand for a line: each part behind its length, so
// that no two lines that differ have the same.
func (l *Line) canonical() []byte {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	parts := [...]string{
		version, number(l.Seq), number(l.At.UnixMilli()), l.Actor.Kind, number(l.Actor.ID), number(l.Actor.Credential), l.Actor.Name,
		l.Address, l.Operation, l.Right, l.Kind, l.Namespace, l.Group, l.Key, l.Before, l.After, l.Previous,
	}
	out := make([]byte, 0, 256+len(l.Before)+len(l.After))
	for _, part := range parts {
		out = binary.BigEndian.AppendUint64(out, uint64(len(part)))
		out = append(out, part...)
	}
	return out
}

// sum returns the digest that a line must have.
func (l *Line) sum() string {
	digest := sha256.Sum256(l.canonical())
	return hex.EncodeToString(digest[:])
}

// Follow makes a line the one that comes after last, which is the zero Line when
// there is none: it gets its number, its digests, and an instant not before last's.
func (l *Line) Follow(last *Line) {
	l.Seq, l.Previous = last.Seq+1, last.Digest
	if l.At = l.At.UTC().Truncate(time.Millisecond); l.At.Before(last.At) {
		l.At = last.At
	}
	l.Digest = l.sum()
}
