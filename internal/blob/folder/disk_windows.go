package folder

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// syncFolder does nothing: NTFS keeps a journal of names, and a folder's handle
// takes no flush.
func syncFolder(*os.File) error { return nil }

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL) ||
		errors.Is(err, windows.ERROR_DISK_QUOTA_EXCEEDED)
}

func isNoFolder(err error) bool {
	return errors.Is(err, windows.ERROR_DIRECTORY) || errors.Is(err, windows.ERROR_PATH_NOT_FOUND)
}
