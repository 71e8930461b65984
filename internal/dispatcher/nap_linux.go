package dispatcher

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap sleeps for at most a few milliseconds, to the precision of the kernel's
// clock. It holds a thread meanwhile. A signal may wake it early, so it looks at
// the clock again.
func nap(d time.Duration) {
	for end := time.Now().Add(d); d > 0; d = time.Until(end) {
		rest := unix.NsecToTimespec(int64(d))
		if err := unix.Nanosleep(&rest, nil); err != nil && err != unix.EINTR {
			<-time.After(d)
			return
		}
	}
}
