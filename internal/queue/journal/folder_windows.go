package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// syncFolder does nothing: this system offers no way to sync a folder, and
// journals its renames.
func syncFolder(string) error { return nil }

// lockFile locks a file until it is closed; errLocked when another process has it.
func lockFile(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}
