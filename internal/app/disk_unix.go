//go:build linux || darwin

package app

import "golang.org/x/sys/unix"

// freeBytes returns the space that is left for this process where a folder is, and
// false when that is not known.
func freeBytes(folder string) (float64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return float64(s.Bavail) * float64(s.Bsize), true
}
