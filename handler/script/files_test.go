package script

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newFiles(t *testing.T) files {
	t.Helper()
	f, err := openFiles(filepath.Join(t.TempDir(), "a", "b"), ".sh")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t *testing.T, f files) []string {
	t.Helper()
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func ensure(t *testing.T, f files, jobID, at int64, source string) string {
	t.Helper()
	path, err := f.ensure(jobID, time.UnixMilli(at), source)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != source {
		t.Fatalf("%s holds %q, %v; want %q", path, got, err, source)
	}
	return path
}

func TestFilesVersions(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	ensure(t, f, 1, 100, "one")
	ensure(t, f, 11, 100, "eleven")
	ensure(t, f, 1, 200, "one, changed")
	leftover := filepath.Join(f.dir, "1_123.tmp")
	if err := os.WriteFile(leftover, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ensure(t, f, 1, 300, "one, changed again")
	if diff := cmp.Diff([]string{"11_100.sh", "1_300.sh"}, names(t, f)); diff != "" {
		t.Error(diff)
	}
}

func TestFilesMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	f := newFiles(t)
	info, err := os.Stat(ensure(t, f, 1, 1, "x"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestFilesCache: the same version is not written again, a file with another
// content is.
func TestFilesCache(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	path := ensure(t, f, 1, 1, "source")
	past := time.Unix(1000, 0)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	ensure(t, f, 1, 1, "source")
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(past) {
		t.Errorf("the cached file was written again: %v, %v", info.ModTime(), err)
	}
	if err := os.WriteFile(path, []byte("sour"), 0o700); err != nil {
		t.Fatal(err)
	}
	ensure(t, f, 1, 1, "source")
	ensure(t, f, 1, 1, "of another server")
}

func TestFilesNoVersion(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	path, err := f.ensure(5, time.Time{}, "x")
	if err != nil || filepath.Base(path) != "5_0.sh" {
		t.Errorf("%s, %v", path, err)
	}
}

func TestFilesParallel(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	var g sync.WaitGroup
	for range 20 {
		g.Go(func() {
			if _, err := f.ensure(1, time.UnixMilli(9), "same"); err != nil {
				t.Error(err)
			}
		})
	}
	g.Wait()
	if diff := cmp.Diff([]string{"1_9.sh"}, names(t, f)); diff != "" {
		t.Error(diff)
	}
}
