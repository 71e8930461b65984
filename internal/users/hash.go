package users

import (
	"crypto/md5" //nolint:gosec // Foreign hashes are checked once, and replaced.
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"

	"github.com/orthd/orth/job"
)

// strength is the cost of a hash.
type strength struct {
	memory, passes uint32 // KiB, iterations
	lanes          uint8
}

// usual is the cost of new hashes: 19 MiB, two iterations.
func usual() strength { return strength{memory: 19 << 10, passes: 2, lanes: 1} }

// The lengths of generated parts, in bytes, and the maximum cost of a stored hash: a
// costlier one in a row could stop the server.
const (
	saltLength = 16
	sumLength  = 32
	maxMemory  = 256 << 10 // KiB
	maxPasses  = 16
	maxLanes   = 8
	maxPart    = 64 // bytes of salt and sum
	maxCost    = 14 // of bcrypt
)

// phc is a stored argon2id hash in PHC string format.
type phc struct {
	strength
	salt, sum []byte
}

// String returns the PHC string.
func (p *phc) String() string {
	encoding := base64.RawStdEncoding
	return "$argon2id$v=19$m=" + strconv.Itoa(int(p.memory)) + ",t=" + strconv.Itoa(int(p.passes)) + ",p=" + strconv.Itoa(int(p.lanes)) +
		"$" + encoding.EncodeToString(p.salt) + "$" + encoding.EncodeToString(p.sum)
}

// parsePHC parses a PHC string of argon2id.
func parsePHC(text string) (p phc, err error) {
	bad := job.Errorf(job.Internal, "a stored password is no hash of argon2id that can be read")
	parts := strings.Split(text, "$")
	if len(text) > 512 || len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v=19" {
		return phc{}, bad
	}
	fields := strings.Split(parts[3], ",")
	if len(fields) != 3 {
		return phc{}, bad
	}
	var numbers [3]uint32
	for i, wanted := range []struct {
		name  string
		limit uint64
	}{{"m=", maxMemory}, {"t=", maxPasses}, {"p=", maxLanes}} {
		digits, ok := strings.CutPrefix(fields[i], wanted.name)
		n, err := strconv.ParseUint(digits, 10, 32)
		if !ok || err != nil || n == 0 || n > wanted.limit || strconv.FormatUint(n, 10) != digits {
			return phc{}, bad
		}
		numbers[i] = uint32(n)
	}
	p.strength = strength{memory: numbers[0], passes: numbers[1], lanes: uint8(numbers[2])}
	strict := base64.RawStdEncoding.Strict()
	salt, saltErr := strict.DecodeString(parts[4])
	sum, sumErr := strict.DecodeString(parts[5])
	if saltErr != nil || sumErr != nil || len(salt) < 8 || len(salt) > maxPart || len(sum) < 16 || len(sum) > maxPart {
		return phc{}, bad
	}
	p.salt, p.sum = salt, sum
	if p.String() != text { // base64 ignores line breaks
		return phc{}, bad
	}
	return p, nil
}

// makeHash returns the hash of a password with a new salt. It takes some 20 ms, and the
// memory of its strength.
func makeHash(password string, s strength) string {
	p := phc{strength: s, salt: make([]byte, saltLength)}
	rand.Read(p.salt) // never fails: the runtime ends the process instead
	p.sum = argon2.IDKey([]byte(password), p.salt, s.passes, s.memory, s.lanes, sumLength)
	return p.String()
}

// checkHash reports whether a password matches a stored hash, and whether the hash must be
// replaced. Foreign hashes are those of XXL-JOB and the older Orth: MD5 and SHA-256 in hex,
// and bcrypt. It takes at least as long as [makeHash] for any stored hash, so that the time
// reveals nothing.
func checkHash(stored, password string, s strength) (good, again bool) {
	if strings.HasPrefix(stored, "$argon2id$") {
		p, err := parsePHC(stored)
		if err == nil {
			sum := argon2.IDKey([]byte(password), p.salt, p.passes, p.memory, p.lanes, uint32(len(p.sum)))
			return subtle.ConstantTimeCompare(sum, p.sum) == 1, p.strength != s
		}
	}
	_ = makeHash(password, s)
	return checkForeign(stored, password), true
}

// checkForeign reports whether a password matches a foreign hash.
func checkForeign(stored, password string) bool {
	same := func(sum []byte) bool {
		return subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum)), []byte(strings.ToLower(stored))) == 1
	}
	switch {
	case len(stored) == 2*md5.Size:
		sum := md5.Sum([]byte(password)) //nolint:gosec // see the import
		return same(sum[:])
	case len(stored) == 2*sha256.Size:
		sum := sha256.Sum256([]byte(password))
		return same(sum[:])
	case strings.HasPrefix(stored, "$2"):
		cost, err := bcrypt.Cost([]byte(stored))
		return err == nil && cost <= maxCost && bcrypt.CompareHashAndPassword([]byte(stored), []byte(password)) == nil
	}
	return false
}
