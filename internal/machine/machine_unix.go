//go:build linux || darwin

package machine

import "golang.org/x/sys/unix"

// FileLimit returns how many files a process may have open, 0 when that is not known.
func FileLimit() uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return limit.Max
}

// DiskSpace returns the free and the whole space of the disk below a folder, in bytes.
func DiskSpace(dir string) (free, total uint64, err error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, 0, err
	}
	block := uint64(max(stat.Bsize, 0)) // It is narrower on other systems.
	return stat.Bavail * block, stat.Blocks * block, nil
}
