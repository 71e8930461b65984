// Package credential generates, checks, hashes, seals and stores the secrets with which
// servers and executors authenticate: group tokens, server keys and their files.
//
// It does not know what a credential gives access to. Texts come in from files, flags and
// the environment. They leave as [redacted.Text] or sealed.
package credential

import (
	"crypto/rand"
	"encoding/base64"

	"github.com/orthd/orth/internal/redacted"
)

// Generate returns a new token: 32 random bytes in URL-safe base64, 43
// characters.
func Generate() redacted.Text {
	var raw [32]byte
	rand.Read(raw[:]) // never fails: the runtime ends the process instead
	return redacted.New(base64.RawURLEncoding.EncodeToString(raw[:]))
}
