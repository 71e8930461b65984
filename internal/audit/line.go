package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"
)

// PruneOperation is the operation of lines that record removed lines.
const PruneOperation = "prune-audit"

// MaxPage bounds the lines of a read.
const MaxPage = 1000

// Actor is the principal of a change.
type Actor struct {
	// Kind is a kind of package access.
	Kind string
	// ID is the user's, 0 for the server itself. Credential is that of the token or
	// session, 0 for none.
	ID, Credential int64
	// Name is the user's name at that time.
	Name string
}

// Line is one state change.
type Line struct {
	// Seq numbers the lines from 1, without gaps.
	Seq int64
	// At is not before that of the previous line, in whole milliseconds.
	At    time.Time
	Actor Actor
	// Address is the origin of the request, without the port.
	Address string
	// Operation is the operation id of the OpenAPI document. Right is the right that was
	// used.
	Operation, Right string
	// Kind, Namespace, Group and Key identify the object; empty where not applicable.
	Kind, Namespace, Group, Key string
	// Before and After are JSON of the stored object; empty for none.
	Before, After string
	// Previous is the digest of the previous line, empty in the first. Digest is the line's
	// own. Both are hex.
	Previous, Digest string
}

// Query selects lines. The zero value selects the newest 100.
type Query struct {
	// Actor, Operation, Kind, Namespace and Key match exactly; empty matches any.
	Actor, Operation, Kind, Namespace, Key string
	// From and Until bound the time: at or after From, and before Until. Zero is no bound.
	From, Until time.Time
	// After is the number of the previous page's last line; 0 starts.
	After int64
	// Oldest sorts the oldest first; otherwise the newest.
	Oldest bool
	// Limit bounds the lines. Defaults to 100, and is [MaxPage] at most.
	Limit int
}

// version is the first part of the digested bytes. It changes with their encoding.
const version = "orth audit 1"

// canonical returns the digested bytes of a line. Each part follows its length, so that
// different lines have different bytes.
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

// sum returns the digest of the line.
func (l *Line) sum() string {
	digest := sha256.Sum256(l.canonical())
	return hex.EncodeToString(digest[:])
}

// Follow makes l the successor of last, which is the zero Line for the first. It sets its
// number, its digests, and an instant not before last's.
func (l *Line) Follow(last *Line) {
	l.Seq, l.Previous = last.Seq+1, last.Digest
	if l.At = l.At.UTC().Truncate(time.Millisecond); l.At.Before(last.At) {
		l.At = last.At
	}
	l.Digest = l.sum()
}
