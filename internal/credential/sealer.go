package credential

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

const (
	// keyBytes is the length of a sealer's key, which makes it AES-256.
	keyBytes = 32
	// sealVersion is the first byte of what is sealed: how it was.
	sealVersion = 1
)

// Sealer seals texts, so that readers of their storage cannot read them: AES-256-GCM with a
// key that is kept elsewhere, in a file. Its methods may be used from many goroutines.
type Sealer struct {
	aead cipher.AEAD
	// digests is the key of what is not to be opened again.
	digests []byte
	path    string
}

// OpenSealer reads the key in the file and, when there is no such file, generates
// one and writes it first, as [LoadOrCreate] does. Kinds: Invalid for a file that
// holds no key.
func OpenSealer(path string) (*Sealer, error) {
	key, err := loadKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path, Generate()); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("write the key file: %w", err)
		}
		key, err = loadKey(path)
	}
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("use the key in %s: %w", path, err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("use the key in %s: %w", path, err)
	}
	return &Sealer{aead: aead, digests: mac(key, "orth digests"), path: path}, nil
}

// loadKey reads a key as [Generate] writes it.
func loadKey(path string) ([]byte, error) {
	text, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	key, err := base64.RawURLEncoding.Strict().DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != keyBytes {
		wrong := job.Errorf(job.Invalid, "the key file %s does not hold a key", path)
		wrong.Hint = "bring it back from a backup; without one delete it to get a new one, " +
			"and make new tokens for the groups that the server names then"
		return nil, wrong
	}
	return key, nil
}

// Seal returns the text closed, as ASCII: for the group whose token it is and the
// hash of that. It opens for the same two only, so that what is sealed cannot be
// put in another's place.
func (s *Sealer) Seal(t redacted.Text, group, hash string) string {
	sealed := s.aead.Seal([]byte{sealVersion}, nil, []byte(t.Reveal()), bound(group, hash)) //nolint:gosec // The AEAD makes its nonces itself.
	return base64.RawStdEncoding.EncodeToString(sealed)
}

// Open returns what was sealed for the group and the hash. The error, which is Invalid,
// names the wrong file and the remedy, and shows nothing of the text.
func (s *Sealer) Open(sealed, group, hash string) (redacted.Text, error) {
	raw, err := base64.RawStdEncoding.Strict().DecodeString(sealed)
	switch {
	case err != nil || len(raw) <= 1+s.aead.Overhead():
		return redacted.Text{}, s.unopened("what is kept of it is damaged", "restore the database from a backup")
	case raw[0] != sealVersion:
		return redacted.Text{}, s.unopened(fmt.Sprintf("it was sealed in a way (%d) that this version does not know", raw[0]), "use a newer version")
	}
	text, err := s.aead.Open(nil, nil, raw[1:], bound(group, hash))
	if err != nil {
		return redacted.Text{}, s.unopened("it was sealed with another key than that in "+s.path+", or what is kept of it was changed",
			"bring that file back as it was when the token was made")
	}
	return redacted.New(string(text)), nil
}

// Digest returns what stands for a text in readable places: its HMAC-SHA256 with a key that
// is derived from that in the file. The same text has others for other purposes; a purpose
// has no zero in it.
func (s *Sealer) Digest(purpose, text string) [32]byte {
	return [32]byte(mac(s.digests, purpose+"\x00"+text))
}

func mac(key []byte, text string) []byte {
	sum := hmac.New(sha256.New, key)
	sum.Write([]byte(text))
	return sum.Sum(nil)
}

func (s *Sealer) unopened(why, remedy string) error {
	wrong := job.Errorf(job.Invalid, "the token cannot be opened: %s", why)
	wrong.Hint = remedy + ", or make a new token and remove this one"
	return wrong
}

// bound is what a sealed text belongs to. No group's key has a zero in it.
func bound(group, hash string) []byte {
	return []byte(string(rune(sealVersion)) + group + "\x00" + hash)
}
