package users

import (
	"context"
	"crypto/md5" //nolint:gosec // Foreign hashes are checked once, and replaced.
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"github.com/orthd/orth/job"
)

// foreignBcrypt matches a bcrypt hash in its usual form.
var foreignBcrypt = regexp.MustCompile(`^\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}$`)

// foreign reports whether a stored hash was imported from another server.
func foreign(stored string) bool { return !strings.HasPrefix(stored, "$argon2id$") }

// CheckForeign reports why a text is not a hash that can be imported: MD5 or SHA-256 in
// hex, without salt, as in XXL-JOB, or bcrypt with a cost of at most 14, as in the older
// Orth. The error does not repeat it. Kinds: Invalid.
func CheckForeign(hash string) error {
	bad := job.FieldErrorf("password_hash", "is no hash that can be brought along: 32 (MD5) or 64 (SHA-256) hex digits, or bcrypt, $2…, with a cost of at most %d", maxCost)
	if foreignBcrypt.MatchString(hash) {
		if cost, err := bcrypt.Cost([]byte(hash)); err != nil || cost > maxCost {
			return bad
		}
		return nil
	}
	sum, err := hex.DecodeString(hash)
	if err != nil || len(sum) != md5.Size && len(sum) != sha256.Size {
		return bad
	}
	return nil
}

// shipped are the well-known default passwords of old servers.
func shipped() []string { return []string{"123456", "admin", "admin123", "password"} }

// checkForeign refuses an invalid hash, and that of a password that attackers try first:
// they could sign in before the user. Hashes without salt are compared with all common
// words, others with the default passwords of servers.
func (h *hasher) checkForeign(ctx context.Context, a *Account) error {
	if err := CheckForeign(a.Password); err != nil {
		return err
	}
	tries := append(shipped(), a.Name, a.Name+"123", a.Name+"123456")
	if !strings.HasPrefix(a.Password, "$") {
		for word := range strings.FieldsSeq(common) {
			tries = append(tries, word, word+"1", word+"123", word+"123456")
		}
		for digits := "1"; len(digits) <= 10; digits += string("1234567890"[len(digits)%10]) {
			tries = append(tries, digits)
		}
		for digit := range 10 {
			for length := 4; length <= 10; length++ {
				tries = append(tries, strings.Repeat(string(rune('0'+digit)), length))
			}
		}
	}
	if err := h.enter(ctx); err != nil {
		return err
	}
	defer h.leave()
	for _, try := range tries {
		if checkForeign(a.Password, try) {
			wrong := job.FieldErrorf("password_hash", "of user %s is that of a password that others try first", a.Name)
			wrong.Hint = "make the user with a password of its own: leave password_hash out, or 'orth user create " + a.Name + "'"
			return wrong
		}
	}
	return nil
}
