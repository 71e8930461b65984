package script

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// awaitExit waits until the process has ended and leaves it unreaped: as long
// as it is, its number stays its own. It reports false when it cannot.
func awaitExit(p *os.Process) bool {
	for {
		err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
