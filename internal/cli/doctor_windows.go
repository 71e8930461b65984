package cli

import "golang.org/x/sys/windows"

// fileLimit returns 0: Windows has no such limit.
func fileLimit() uint64 { return 0 }

// diskSpace returns the free and the whole space of the disk below a folder, in bytes.
func diskSpace(dir string) (free, total uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(path, &free, &total, nil)
	return free, total, err
}
