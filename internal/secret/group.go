package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
)

// groupPrefix begins each token of a group, so that people and scanners of
// secrets know one when they see it.
const groupPrefix = "orthg_"

// GenerateGroup returns a new token of a group: its prefix and 32 random bytes
// in URL-safe base64.
func GenerateGroup() Text { return New(groupPrefix + Generate().Reveal()) }

// MayBeGroup reports whether a text looks like a token of a group.
func MayBeGroup(text string) bool { return strings.HasPrefix(text, groupPrefix) }

// Hash returns what is kept of a random token: its SHA-256 in hex. Nobody can
// guess 32 random bytes, so it need not be slow.
func Hash(t Text) string {
	sum := sha256.Sum256([]byte(t.Reveal()))
	return hex.EncodeToString(sum[:])
}

// SameHash compares two hashes in a time that tells nothing about where they
// differ.
func SameHash(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
