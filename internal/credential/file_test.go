package credential_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func TestLoadOrCreate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	first, err := credential.LoadOrCreate(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := credential.LoadOrCreate(path)
	if err != nil {
		t.Fatal(err)
	}
	if first.IsZero() || !first.Equal(again) {
		t.Error("the second call gave another token")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, want 0600", info.Mode().Perm())
	}
	if left := files(t, filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(path, []byte("old, and open to all\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second"} {
		if err := credential.Replace(path, redacted.New(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := credential.Load(path); err != nil || got.Reveal() != text {
			t.Errorf("got %q, %v, want %q", got.Reveal(), err, text)
		}
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("the file has mode %v, %v", info.Mode(), err)
		}
	}
	if left := files(t, filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if err := credential.Replace(filepath.Join(path, "below"), redacted.New("x")); err == nil {
		t.Error("a file below a file was written")
	}
}

func TestLoadOrCreateAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	texts := make([]redacted.Text, 20)
	errs := make([]error, len(texts))
	var all sync.WaitGroup
	for i := range texts {
		all.Go(func() { texts[i], errs[i] = credential.LoadOrCreate(path) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if !text.Equal(texts[0]) {
			t.Fatal("two callers got different tokens")
		}
	}
	if left := files(t, filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestLoadOrCreateWithoutFolder(t *testing.T) {
	t.Parallel()
	_, err := credential.LoadOrCreate(filepath.Join(t.TempDir(), "no", "token"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, content, want, wrong string }{
		{"plain", "abc", "abc", ""},
		{"with a line end", "abc\r\n", "abc", ""},
		{"with blanks around", "  abc \n\n", "abc", ""},
		{"empty", "", "", "is empty"},
		{"only blanks", " \n", "", "is empty"},
		{"two lines", "abc\ndef\n", "", "one line"},
		{"not ASCII", "pässword", "", "one line"},
		{"too large", strings.Repeat("a", 5000), "", "larger than 4096 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := credential.Read(strings.NewReader(c.content), "standard input"); got.Reveal() != c.want || (err != nil) != (c.wrong != "") {
				t.Errorf("Read = %q, %v; want %q", got.Reveal(), err, c.want)
			}
			got, err := credential.Load(path)
			if c.wrong == "" {
				if err != nil || got.Reveal() != c.want {
					t.Errorf("Load = %q, %v; want %q", got.Reveal(), err, c.want)
				}
				return
			}
			if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("got the error %v, want an invalid one with %q", err, c.wrong)
			}
		})
	}
}

func TestLoadMissing(t *testing.T) {
	t.Parallel()
	if _, err := credential.Load(filepath.Join(t.TempDir(), "token")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

// files returns the names in the folder.
func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}
