//go:build !linux && !darwin && !windows

package machine

// FileLimit returns 0: it is not known here.
func FileLimit() uint64 { return 0 }

// DiskSpace returns zeros: it is not known here.
func DiskSpace(string) (free, total uint64, err error) { return 0, 0, nil }
