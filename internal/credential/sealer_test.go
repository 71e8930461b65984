package credential_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func openSealer(t *testing.T, path string) *credential.Sealer {
	t.Helper()
	s, err := credential.OpenSealer(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What is sealed opens again, after a restart too, and nothing of it can be read.
func TestSealer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.key")
	first, again := openSealer(t, path), openSealer(t, path)
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching(`[!-~]{8,256}`).Draw(r, "text")
		group := rapid.StringMatching(`[a-z]{1,20}`).Draw(r, "group")
		hash := credential.Hash(redacted.New(text))
		sealed := first.Seal(redacted.New(text), group, hash)
		if strings.Contains(sealed, text) || sealed == first.Seal(redacted.New(text), group, hash) {
			r.Fatalf("sealed: %s", sealed)
		}
		opened, err := again.Open(sealed, group, hash)
		if err != nil || opened.Reveal() != text {
			r.Fatalf("opened %q: %v", opened.Reveal(), err)
		}
	})
}

// A sealed text of which any bit was changed, or that was put in another's place,
// is refused.
func TestSealerDamage(t *testing.T) {
	t.Parallel()
	s := openSealer(t, filepath.Join(t.TempDir(), "secrets.key"))
	token := credential.GenerateGroup()
	hash := credential.Hash(token)
	sealed := s.Seal(token, "a", hash)
	refused := func(what, sealed, group, hash string) {
		t.Helper()
		opened, err := s.Open(sealed, group, hash)
		if !job.Is(err, job.Invalid) || !opened.IsZero() {
			t.Errorf("%s: %q, %v", what, opened.Reveal(), err)
		} else if e, ok := errors.AsType[*job.Error](err); !ok || e.Hint == "" || strings.Contains(err.Error()+e.Hint, token.Reveal()) {
			t.Errorf("%s: %+v", what, e)
		}
	}
	for i := range len(sealed) * 8 {
		flipped := []byte(sealed)
		flipped[i/8] ^= 1 << (i % 8)
		refused("a bit", string(flipped), "a", hash)
	}
	for n := range len(sealed) {
		refused("cut off", sealed[:n], "a", hash)
	}
	refused("another group", sealed, "b", hash)
	refused("a longer group", sealed, "a\x00", hash)
	refused("another token", sealed, "a", credential.Hash(credential.GenerateGroup()))
	refused("more", sealed+"AAAA", "a", hash)
	refused("text", "orthg_plain", "a", hash)
}

// Another key opens nothing, and the error names the file.
func TestSealerAnotherKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := credential.GenerateGroup()
	sealed := openSealer(t, filepath.Join(dir, "one")).Seal(token, "a", credential.Hash(token))
	path := filepath.Join(dir, "other")
	_, err := openSealer(t, path).Open(sealed, "a", credential.Hash(token))
	if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), path) {
		t.Errorf("opened with another key: %v", err)
	}
}

// A key file is made whole, once, and for its owner alone.
func TestSealerFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.key")
	token := credential.GenerateGroup()
	sealed := make([]string, 20)
	var all sync.WaitGroup
	for i := range sealed {
		all.Go(func() {
			if s, err := credential.OpenSealer(path); err != nil {
				t.Error(err)
			} else {
				sealed[i] = s.Seal(token, "a", "h")
			}
		})
	}
	all.Wait()
	s := openSealer(t, path)
	for _, text := range sealed {
		if opened, err := s.Open(text, "a", "h"); err != nil || !opened.Equal(token) {
			t.Fatalf("two callers got different keys: %v", err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	if left := files(t, filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// A file that holds no key is never replaced: what it opened would be lost.
func TestSealerBadFile(t *testing.T) {
	t.Parallel()
	for _, content := range [][]byte{
		nil, []byte("\n"), []byte("c2hvcnQ"), bytes.Repeat([]byte("A"), 44), bytes.Repeat([]byte("A"), 1<<20), {0xff, 0}, []byte("not a key at all, whatever it says it is!!!"),
	} {
		path := filepath.Join(t.TempDir(), "secrets.key")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := credential.OpenSealer(path)
		if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), path) {
			t.Errorf("%.20q: %v", content, err)
		}
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, content) {
			t.Errorf("%.20q became %.20q, %v", content, kept, err)
		}
	}
	if _, err := credential.OpenSealer(filepath.Join(t.TempDir(), "no", "secrets.key")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// FuzzOpen: a forged text never opens.
func FuzzOpen(f *testing.F) {
	s, err := credential.OpenSealer(filepath.Join(f.TempDir(), "secrets.key"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("", "a", "h")
	f.Add(s.Seal(redacted.New("theirs-already"), "a", "h"), "b", "h")
	f.Add("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "a", "h")
	f.Fuzz(func(t *testing.T, sealed, group, hash string) {
		if text, err := s.Open(sealed, group, hash); !job.Is(err, job.Invalid) || !text.IsZero() {
			t.Errorf("%q opens for %q and %q: %v", sealed, group, hash, err)
		}
	})
}

// A text has one digest for a purpose, after a restart too, and another with another key.
func TestDigest(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets.key")
	first, again, other := openSealer(t, path), openSealer(t, path), openSealer(t, filepath.Join(t.TempDir(), "other.key"))
	if first.Digest("a", "text") != again.Digest("a", "text") {
		t.Error("after a restart the digest is another one")
	}
	for what, digest := range map[string][32]byte{
		"another text": first.Digest("a", "texts"), "another purpose": first.Digest("at", "ext"), "another key": other.Digest("a", "text"),
	} {
		if digest == first.Digest("a", "text") {
			t.Errorf("%s has the same digest", what)
		}
	}
}
