package folder

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/blob/blobtest"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

func opened(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	blobtest.Suite{Open: func(t *testing.T) logbook.Blobs {
		t.Helper()
		return opened(t, filepath.Join(t.TempDir(), "logs", "below"))
	}}.Run(t)
}

// files returns what a folder holds.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir {
			name, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What is put is a file of its name; nothing else stays, and empty folders go.
func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := opened(t, dir)
	must(t, s.Put(t.Context(), "day/1/a.pack", []byte("text")))
	must(t, s.Put(t.Context(), "day/b.pack", []byte("text")))
	must(t, s.Put(t.Context(), "day/b.pack", []byte("text")))
	if err := s.Put(t.Context(), "day/b.pack", []byte("other")); !job.Is(err, job.Conflict) {
		t.Errorf("a name is given twice: %v", err)
	}
	same(t, "the folder", files(t, dir), []string{".new", "day", "day/1", "day/1/a.pack", "day/b.pack"})
	raw, err := os.ReadFile(filepath.Join(dir, "day", "1", "a.pack"))
	must(t, err)
	same(t, "the file", string(raw), "text")
	if info, err := os.Stat(filepath.Join(dir, "day", "b.pack")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v: want 0600", err, info.Mode())
	}
	must(t, s.Delete(t.Context(), []string{"day/1/a.pack"}))
	same(t, "the folder", files(t, dir), []string{".new", "day", "day/b.pack"})
	must(t, s.Delete(t.Context(), []string{"day/b.pack"}))
	same(t, "the folder", files(t, dir), []string{".new"})
}

// A folder of blobs is no blob, and a blob no folder.
func TestFoldersAndBlobs(t *testing.T) {
	t.Parallel()
	s := opened(t, t.TempDir())
	must(t, s.Put(t.Context(), "a/b", []byte("1")))
	for name, want := range map[string]job.Kind{"a": job.Conflict, "a/b/c": job.Conflict, "a/b/c/d": job.Conflict} {
		if err := s.Put(t.Context(), name, []byte("1")); !job.Is(err, want) {
			t.Errorf("put %s: %v, want %s", name, err, want)
		}
	}
	must(t, s.Delete(t.Context(), []string{"a", "a/b/c"}))
	if got, err := s.Get(t.Context(), "a/b", 0, 1); err != nil || string(got) != "1" {
		t.Errorf("%q, %v", got, err)
	}
}

// A process died while it wrote: what it left goes when it is old.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, opened(t, dir).Put(t.Context(), "kept", []byte("1")))
	for name, age := range map[string]time.Duration{"old": 2 * staleAfter, "young": time.Minute} {
		path := filepath.Join(dir, fresh, name)
		must(t, os.WriteFile(path, []byte("half"), 0o600))
		at := time.Now().Add(-age)
		must(t, os.Chtimes(path, at, at))
	}
	s := opened(t, dir)
	same(t, "the folder", files(t, dir), []string{".new", ".new/young", "kept"})
	must(t, s.List(t.Context(), func(name string, _ int64, _ time.Time) bool {
		if name != "kept" {
			t.Errorf("%s is listed", name)
		}
		return true
	}))
	must(t, os.RemoveAll(filepath.Join(dir, fresh)))
	must(t, s.Put(t.Context(), "again", []byte("1")))
}

// Links do not lead out of the folder, and other people's files are left alone.
func TestLinks(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	s := opened(t, dir)
	if err := os.Symlink(outside, filepath.Join(dir, "way")); err != nil {
		t.Skipf("this system makes no links for us: %v", err)
	}
	must(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "link")))
	must(t, os.WriteFile(filepath.Join(dir, ".hidden"), []byte("x"), 0o600))
	for _, name := range []string{"link", "way/secret"} {
		if got, err := s.Get(t.Context(), name, 0, 6); err == nil {
			t.Errorf("%s was read: %q", name, got)
		}
	}
	if err := s.Put(t.Context(), "way/new", []byte("x")); err == nil {
		t.Error("a blob was put outside of the folder")
	}
	_ = s.Delete(t.Context(), []string{"way/secret"}) // whatever it says
	must(t, s.List(t.Context(), func(name string, _ int64, _ time.Time) bool {
		t.Errorf("%s is listed", name)
		return true
	}))
	same(t, "what is outside", files(t, outside), []string{"secret"})
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := Open(dir); !job.Is(err, job.Unavailable) {
			t.Errorf("open %s: %v, want it unavailable", dir, err)
		}
	}
}
