//go:build unix

package executor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestReadable: all in the folder can be read by everybody, and written by the owner only;
// what a link points to is left alone.
func TestReadable(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	in := func(name string) string { return filepath.Join(dir, "groovy", filepath.FromSlash(name)) }
	if err := errors.Join(
		os.MkdirAll(in("classes/orth"), 0o700), os.WriteFile(in("classes/orth/Main.class"), nil, 0o600),
		os.WriteFile(outside, nil, 0o600), os.Symlink(outside, in("link")),
		readable(in("")),
	); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{
		in(""): 0o755, in("classes"): 0o755, in("classes/orth"): 0o755, in("classes/orth/Main.class"): 0o644, outside: 0o600,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %o", path, info.Mode(), err, want)
		}
	}
	if err := readable(in("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
