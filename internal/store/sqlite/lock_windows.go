package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks a byte far behind the file's content until the file is closed; taken
// reports that another process has locked it. The content can still be read: locks are
// mandatory here.
func tryLock(file *os.File) (taken bool, err error) {
	place := windows.Overlapped{OffsetHigh: 1}
	err = windows.LockFileEx(windows.Handle(file.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	return false, err
}

// unlock leaves it to closing the file.
func unlock(*os.File) error { return nil }
