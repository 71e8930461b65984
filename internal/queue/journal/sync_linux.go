package journal

import "golang.org/x/sys/unix"

// Sync writes what was written, and of the file's own data only what reading
// it again needs, which saves the file system's commit on a preallocated file.
func (f osFile) Sync() error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if err != unix.EINTR {
			return err
		}
	}
}
