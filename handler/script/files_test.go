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

func newFiles(t *testing.T) *files {
	t.Helper()
	f, err := openFiles(filepath.Join(t.TempDir(), "a", "b"), func(path string) error { return os.Chmod(path, 0o700) })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t *testing.T, f *files) []string {
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

func take(t *testing.T, f *files, jobID, at int64, source string) (path string, done func()) {
	t.Helper()
	path, done, err := f.takeFile(jobID, time.UnixMilli(at), ".sh", source)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != source {
		t.Fatalf("%s holds %q, %v; want %q", path, got, err, source)
	}
	return path, done
}

func TestFilesVersions(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	for _, v := range []struct {
		id, at int64
		source string
	}{{1, 100, "one"}, {11, 100, "eleven"}, {1, 200, "one, changed"}} {
		_, done := take(t, f, v.id, v.at, v.source)
		done()
	}
	if err := os.WriteFile(filepath.Join(f.dir, "1_123.tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, running := take(t, f, 1, 300, "one, changed again")
	_, done := take(t, f, 1, 400, "the newest")
	done()
	if diff := cmp.Diff([]string{"11_100.sh", "1_300.sh", "1_400.sh"}, names(t, f)); diff != "" {
		t.Error("while an old version runs:", diff)
	}
	running()
	running() // a second call does nothing
	if diff := cmp.Diff([]string{"11_100.sh", "1_400.sh"}, names(t, f)); diff != "" {
		t.Error("after it:", diff)
	}
}

// TestFilesTwoSources: the same version with another content does not disturb
// a script that runs.
func TestFilesTwoSources(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	first, done := take(t, f, 1, 9, "of one server")
	second, done2 := take(t, f, 1, 9, "of another")
	if got, err := os.ReadFile(first); first == second || err != nil || string(got) != "of one server" {
		t.Errorf("%s and %s: %q, %v", first, second, got, err)
	}
	done()
	done2()
	_, done = take(t, f, 1, 9, "of a third")
	done()
	if diff := cmp.Diff([]string{"1_9.sh"}, names(t, f)); diff != "" {
		t.Error(diff)
	}
}

func TestFilesMode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	f := newFiles(t)
	path, done := take(t, f, 1, 1, "x")
	defer done()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestFilesCache: the same version is not written again.
func TestFilesCache(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	path, done := take(t, f, 1, 1, "source")
	done()
	past := time.Unix(1000, 0)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	_, done = take(t, f, 1, 1, "source")
	done()
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(past) {
		t.Errorf("the cached file was written again: %v, %v", info.ModTime(), err)
	}
}

func TestFilesParallel(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	var g sync.WaitGroup
	for range 20 {
		g.Go(func() {
			_, done, err := f.takeFile(1, time.Time{}, ".sh", "same")
			if err != nil {
				t.Error(err)
				return
			}
			done()
		})
	}
	g.Wait()
	if diff := cmp.Diff([]string{"1_0.sh"}, names(t, f)); diff != "" {
		t.Error(diff)
	}
}
