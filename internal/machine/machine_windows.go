package machine

import "golang.org/x/sys/windows"

// FileLimit returns 0: Windows has no such limit.
func FileLimit() uint64 { return 0 }

// DiskSpace returns the free and the whole space of the disk below a folder, in bytes.
func DiskSpace(dir string) (free, total uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, &total, nil)
	return free, total, err
}
