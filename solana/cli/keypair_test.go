package cli

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/job"
)

// testKey is a key that everybody may know.
func testKey() solana.PrivateKey {
	return solana.PrivateKey(ed25519.NewKeyFromSeed([]byte(strings.Repeat("orth", 8))))
}

// numbers is a key as solana-keygen writes it.
func numbers(key []byte) string {
	list := make([]int, len(key))
	for i, b := range key {
		list[i] = int(b)
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func keyFile(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "executor.json")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the process takes away
		t.Fatal(err)
	}
	return path
}

func TestKeypair(t *testing.T) {
	t.Parallel()
	key := testKey()
	for name, text := range map[string]string{"numbers": numbers(key), "spaced": "\n" + strings.ReplaceAll(numbers(key), ",", ", ") + "\n", "base58": key.String() + "\n"} {
		got, err := loadKeypair("--keypair", keyFile(t, text, 0o600))
		if err != nil || got.Public() != key.PublicKey() {
			t.Errorf("%s: %v, %v", name, got, err)
			continue
		}
		signature, err := got.Sign([]byte("message"))
		if err != nil || !signature.Verify(key.PublicKey(), []byte("message")) {
			t.Errorf("%s: the signature is wrong: %v", name, err)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
			if text := fmt.Sprintf(verb, got); text != key.PublicKey().String() {
				t.Errorf("%s shows %q", verb, text)
			}
		}
	}
}

func TestKeypairsThatAreRefused(t *testing.T) {
	t.Parallel()
	key := testKey()
	stranger := append([]byte(nil), key...)
	stranger[40] ^= 1
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"nothing":           {"", 0o600, "holds no key: it is neither a list of 64 numbers nor 64 bytes in base58"},
		"words":             {"correct horse battery staple", 0o600, "nor 64 bytes in base58"},
		"half":              {numbers(key[:32]), 0o600, "it has 32 bytes, and a key has 64"},
		"half in base58":    {solana.PublicKeyFromBytes(key[:32]).String(), 0o600, "nor 64 bytes in base58"},
		"a large number":    {strings.Replace(numbers(key), "[", "[256,", 1), 0o600, "number 1 is not between 0 and 255"},
		"a fraction":        {strings.Replace(numbers(key), "[", "[1.5,", 1), 0o600, "it is no list of numbers"},
		"a torn list":       {numbers(key)[:40], 0o600, "it is no list of numbers"},
		"another's address": {numbers(stranger), 0o600, "its second half is not the address that belongs to the first"},
		"a long file":       {strings.Repeat("1", largestKey+1), 0o600, "it is no key"},
		"the group's":       {numbers(key), 0o640, "others on this machine may read the key"},
		"everybody's":       {numbers(key), 0o604, "others on this machine may read the key"},
	} {
		if runtime.GOOS == "windows" && c.mode != 0o600 {
			continue // There are no such bits.
		}
		got, err := loadKeypair("--keypair", keyFile(t, c.text, c.mode))
		if !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v, %v", name, got, err)
			continue
		}
		message, hint := explain(err)
		if !strings.HasPrefix(message, "--keypair: ") || !strings.Contains(message, c.want) || hint == "" {
			t.Errorf("%s: %q, %q; want %q", name, message, hint, c.want)
		}
		if c.mode != 0o600 && !strings.HasPrefix(hint, "run: chmod go= ") {
			t.Errorf("%s: what to do is %q", name, hint)
		}
	}
	if _, err := loadKeypair("--keypair", filepath.Join(t.TempDir(), "none")); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("no file: %v", err)
	}
	if _, err := loadKeypair("--keypair", t.TempDir()); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "is no file") {
		t.Errorf("a folder: %v", err)
	}
}

// Whatever a file holds, it is a key that signs, or refused without a word of what it holds.
func FuzzKeypair(f *testing.F) {
	f.Add([]byte(numbers(testKey())))
	f.Add([]byte(testKey().String()))
	f.Add([]byte("[1,2"))
	f.Fuzz(func(t *testing.T, text []byte) {
		key, problem := parseKeypair(text)
		if (problem == "") != (len(key.private) == ed25519.PrivateKeySize) {
			t.Errorf("%d bytes, %q", len(key.private), problem)
		}
	})
}
