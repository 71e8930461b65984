//go:build unix && !aix && !solaris

package sqlite

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReleaseEndsTheLock holds the file as a process does that is being started
// while the lock is released.
func TestReleaseEndsTheLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	l, err := acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	child, err := unix.Dup(int(l.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Close(child); err != nil {
			t.Error(err)
		}
	}()
	if err := l.release(); err != nil {
		t.Fatal(err)
	}
	l, err = acquire(path)
	if err != nil {
		t.Fatalf("the lock outlives its release: %v", err)
	}
	if err := l.release(); err != nil {
		t.Error(err)
	}
}
