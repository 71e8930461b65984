package cli

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/thread"
)

// largestKey bounds a file with a key, in bytes: 64 numbers with white space around them.
const largestKey = 4 << 10

// keypair is the executor's key. It prints as its address alone.
type keypair struct{ private ed25519.PrivateKey }

// Public is the executor's address.
func (k keypair) Public() thread.Key {
	return solana.PrivateKey(k.private).PublicKey()
}

// Sign returns the signature of a message.
func (k keypair) Sign(message []byte) (solana.Signature, error) {
	return solana.SignatureFromBytes(ed25519.Sign(k.private, message)), nil
}

// String is the address.
func (k keypair) String() string { return k.Public().String() }

// Format prints the address for every verb and flag.
func (k keypair) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }

// loadKeypair reads a file with a key that only its owner may read: 64 numbers in JSON, as
// solana-keygen writes them, or the same 64 bytes in base58. Errors name the setting, and
// never repeat the file's content.
func loadKeypair(setting, path string) (keypair, error) {
	refuse := func(hint, format string, args ...any) (keypair, error) {
		return keypair{}, &job.Error{Kind: job.Invalid, Field: setting, Message: fmt.Sprintf(format, args...), Hint: hint}
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // To open a pipe would wait for who writes into it.
		return refuse("name the file of the executor's key", "%s is no file", path)
	}
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refuse("'solana-keygen new --outfile "+path+"' makes one", "the file %s does not exist", path)
	case errors.Is(err, fs.ErrPermission):
		return refuse("run this as the user who owns it", "the file %s belongs to another user", path)
	case err != nil:
		return refuse("", "%v", err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return refuse("", "%v", err)
	case !info.Mode().IsRegular():
		return refuse("name the file of the executor's key", "%s is no file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0: // Windows has no such bits: who may read it is for its folder to say.
		return refuse("run: chmod go= "+path, "others on this machine may read the key in %s (mode %04o)", path, info.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(file, largestKey+1))
	if err != nil {
		return refuse("", "%v", err)
	}
	if len(text) > largestKey {
		return refuse("name a file that solana-keygen has written", "%s has more than %d bytes: it is no key", path, largestKey)
	}
	k, problem := parseKeypair(text)
	if problem != "" {
		return refuse("name a file that solana-keygen has written, or the key as wallets export it", "%s holds no key: %s", path, problem)
	}
	return k, nil
}

// parseKeypair reads a key; its errors repeat no number of it.
func parseKeypair(text []byte) (k keypair, problem string) {
	text = bytes.TrimSpace(text)
	raw, problem := keyBytes(text)
	if problem != "" {
		return k, problem
	}
	if len(raw) != ed25519.PrivateKeySize {
		return k, fmt.Sprintf("it has %d bytes, and a key has %d", len(raw), ed25519.PrivateKeySize)
	}
	made := ed25519.NewKeyFromSeed(raw[:ed25519.SeedSize])
	if !bytes.Equal(made, raw) {
		return k, "its second half is not the address that belongs to the first"
	}
	return keypair{made}, ""
}

// keyBytes reads the bytes of a key in either form.
func keyBytes(text []byte) (raw []byte, problem string) {
	if !bytes.HasPrefix(text, []byte("[")) {
		raw, err := solana.PrivateKeyFromBase58(string(text))
		if err != nil && len(raw) != ed25519.PrivateKeySize {
			return nil, "it is neither a list of 64 numbers nor 64 bytes in base58"
		}
		return raw, ""
	}
	var numbers []int
	if json.Unmarshal(text, &numbers) != nil {
		return nil, "it is no list of numbers"
	}
	for i, n := range numbers {
		if n < 0 || n > 255 {
			return nil, fmt.Sprintf("number %d is not between 0 and 255", i+1)
		}
		raw = append(raw, byte(n))
	}
	return raw, ""
}
