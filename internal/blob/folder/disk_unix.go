//go:build unix

package folder

import (
	"errors"
	"os"
	"syscall"
)

// syncFolder makes the names in a folder durable. Some file systems cannot, and
// need not be asked.
func syncFolder(dir *os.File) error {
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

func isNoFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
