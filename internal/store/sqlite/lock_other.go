//go:build (!unix && !windows) || aix || solaris

package sqlite

import (
	"errors"
	"os"
)

// tryLock refuses: without a lock two servers could share one file.
func tryLock(*os.File) (taken bool, err error) { return false, errors.ErrUnsupported }

// unlock leaves it to closing the file.
func unlock(*os.File) error { return nil }
