package credential

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

const (
	// serverPrefix begins each executor key of a server, so that executors know that
	// they must not show it.
	serverPrefix = "orths_"
	// derivedPrefix begins each token that is made of such a key for a group.
	derivedPrefix = "orthd_"
	// derivedEnd ends the group in a derived token. No group has it in its key.
	derivedEnd = ":"
	// derivedFor is what the HMAC of a derived token begins with.
	derivedFor = "orth executors of group\x00"
)

// GenerateServer returns a new executor key of a server: its prefix and 32 random
// bytes in URL-safe base64.
func GenerateServer() redacted.Text { return redacted.New(serverPrefix + Generate().Reveal()) }

// IsServer reports whether a text is the executor key of a server. It must never be
// sent: what is sent is what [OfGroup] makes of it.
func IsServer(t redacted.Text) bool { return strings.HasPrefix(t.Reveal(), serverPrefix) }

// CheckServer reports why a text cannot be the executor key of a server. field names
// its setting in the error, which does not show it.
func CheckServer(field string, t redacted.Text) error {
	if WellKnown(t) {
		wrong := job.FieldErrorf(field, "is a well-known value that protects nothing")
		wrong.Hint = "leave it away; executors that have nothing else yet are taken for the time of a migration with --admit-default-token"
		return wrong
	}
	if !IsServer(t) || strings.ContainsFunc(t.Reveal(), unprintable) {
		wrong := job.FieldErrorf(field, "must be a key that begins with %s and goes on with printable ASCII characters without blanks", serverPrefix)
		wrong.Hint = "leave it away, or delete the file, and the server makes one; a token that executors of another make share is admitted with --admit-shared-token-file"
		return wrong
	}
	if Guessable(redacted.New(strings.TrimPrefix(t.Reveal(), serverPrefix))) {
		return job.FieldErrorf(field, "must have behind %s %s; use a random one", serverPrefix, strength)
	}
	return nil
}

// OfGroup returns the token of a group that is made of a server's key: the same each
// time, and nothing by which the key or another group's token can be found out. Text
// that is no such key comes back as it is.
func OfGroup(key redacted.Text, group string) redacted.Text {
	if !IsServer(key) {
		return key
	}
	sum := hmac.New(sha256.New, []byte(key.Reveal()))
	_, _ = sum.Write([]byte(derivedFor + group)) // it never returns an error
	return redacted.New(derivedPrefix + group + derivedEnd + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)))
}

// GroupOf returns the group that a token made by [OfGroup], or its [KeyID], names,
// and false for any other text. It proves nothing.
func GroupOf(token string) (group string, ok bool) {
	named, ok := strings.CutPrefix(token, derivedPrefix)
	group, _, _ = strings.Cut(named, derivedEnd)
	return group, ok && job.CheckGroup("group", group) == nil
}
