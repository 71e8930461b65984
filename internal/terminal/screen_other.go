//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package terminal

import (
	"errors"
	"os"
)

func size(*os.File) (columns, rows int) { return 0, 0 }

// showsColours reports whether a file supports escape sequences.
func showsColours(*os.File) bool { return false }

func silence(*os.File) (restore func(), err error) {
	return nil, errors.New("reading without echo is not supported on this system")
}
