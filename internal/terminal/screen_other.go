//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package terminal

import (
	"errors"
	"os"
)

func size(*os.File) (columns, rows int) { return 0, 0 }

// showsColours reports whether escape sequences colour what is written to a file.
func showsColours(*os.File) bool { return false }

func silence(*os.File) (restore func(), err error) {
	return nil, errors.New("this system is not known to read without echo")
}
