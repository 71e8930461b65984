package users

import (
	"net/mail"
	"strings"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// CheckEmail reports why a text is not a plain mail address, without a display name, of at
// most [access.MaxEmail] bytes of ASCII. Kinds: Invalid, for the field.
func CheckEmail(field, address string) error {
	if len(address) > access.MaxEmail {
		return job.FieldErrorf(field, "%.20q… has %d bytes, an address at most %d", address, len(address), access.MaxEmail)
	}
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || strings.ContainsFunc(address, isUnusual) {
		return job.FieldErrorf(field, "%.100q is not a mail address, such as ops@example.com", address)
	}
	return nil
}

// isUnusual reports a character that only mail servers with extensions accept.
func isUnusual(r rune) bool { return r <= ' ' || r >= 0x7f || r == '<' || r == '>' }
