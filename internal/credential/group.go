package credential

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// groupPrefix begins each token of a group that is made here, so that people and
// scanners of secrets know one when they see it.
const groupPrefix = "orthg_"

// The lengths of a group's token, in bytes. Those that are made here have 49; those that
// executors have already may be shorter.
const (
	minGroup = 8
	maxGroup = 256
)

// GenerateGroup returns a new token of a group: its prefix and 32 random bytes
// in URL-safe base64.
func GenerateGroup() redacted.Text { return redacted.New(groupPrefix + Generate().Reveal()) }

// MayBeGroup reports whether a text can be a token of a group. It costs little,
// whatever a stranger shows.
func MayBeGroup(text string) bool {
	return len(text) >= minGroup && len(text) <= maxGroup && !strings.ContainsFunc(text, unprintable)
}

// CheckGroup reports why a text from outside must not become a token of a group. The error
// does not repeat it. field names its source.
func CheckGroup(field string, t redacted.Text) error {
	switch {
	case WellKnown(t):
		return job.FieldErrorf(field, "is a well-known value that protects nothing: everybody who reads the documentation of the product has it")
	case !MayBeGroup(t.Reveal()):
		return job.FieldErrorf(field, "must be %d to %d printable ASCII characters without blanks", minGroup, maxGroup)
	case IsServer(t) || strings.HasPrefix(t.Reveal(), derivedPrefix):
		return job.FieldErrorf(field, "begins with %s or %s, as a server's key and what is made of it do: bring a token that has nothing to do with them", serverPrefix, derivedPrefix)
	}
	return nil
}

// unprintable reports whether a token cannot have r: requests could not carry it,
// or not as it is.
func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// Hash returns the key for looking up callers: the SHA-256 of a token in hex. 32 random
// bytes cannot be guessed, so it need not be slow.
func Hash(t redacted.Text) string {
	sum := sha256.Sum256([]byte(t.Reveal()))
	return hex.EncodeToString(sum[:])
}

// keyID is the length of what [KeyID] returns.
const keyID = 16

// KeyID returns the name of a token where requests are signed with it and do not
// show it: the first 16 hex digits of its [Hash], or, of a token that [OfGroup] made,
// what stands before its secret part.
func KeyID(token string) string {
	if group, ok := GroupOf(token); ok {
		return derivedPrefix + group
	}
	return KeyIDOf(Hash(redacted.New(token)))
}

// IsKeyID reports whether a text can be a [KeyID].
func IsKeyID(text string) bool {
	group, ok := GroupOf(text)
	if ok {
		return text == derivedPrefix+group
	}
	return len(text) == keyID && !strings.ContainsFunc(text, func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'f') })
}

// KeyIDOf returns the [KeyID] of the token with this [Hash].
func KeyIDOf(hash string) string { return hash[:min(len(hash), keyID)] }

// SameHash compares two hashes in constant time.
func SameHash(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
