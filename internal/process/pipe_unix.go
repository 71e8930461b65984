//go:build unix

package process

import (
	"errors"
	"syscall"
)

// readNow reads what there is from a pipe that does not block, and returns how many bytes that
// were; none when there is nothing, or no more will come.
func readNow(fd uintptr, buffer []byte) int {
	for {
		n, err := syscall.Read(int(fd), buffer)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		return max(n, 0)
	}
}
