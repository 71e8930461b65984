package nap

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// maxClocks is how many clocks are kept for the next naps.
const maxClocks = 16

// clocks are timers of the kernel that nobody uses.
var clocks = make(chan *clock, maxClocks) //nolint:gochecknoglobals // A free list.

// clock is a timer of the kernel that wakes the poller of this process: no thread waits for
// it.
type clock struct {
	handle int
	file   *os.File // owns handle
}

func newClock() (*clock, error) {
	handle, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	return &clock{handle: handle, file: os.NewFile(uintptr(handle), "clock")}, nil
}

// sleep waits for as long.
func (c *clock) sleep(d time.Duration) error {
	var setting unix.ItimerSpec
	setting.Value = unix.NsecToTimespec(int64(d))
	if err := unix.TimerfdSettime(c.handle, 0, &setting, nil); err != nil {
		return os.NewSyscallError("timerfd_settime", err)
	}
	var times [8]byte
	_, err := c.file.Read(times[:])
	return err
}

// For sleeps for at most a few milliseconds, to the precision of the kernel's clock.
func For(d time.Duration) {
	if d <= 0 {
		return
	}
	var c *clock
	select {
	case c = <-clocks:
	default:
		var err error
		if c, err = newClock(); err != nil { // the process has too many files open
			<-time.After(d)
			return
		}
	}
	if err := c.sleep(d); err != nil {
		_ = c.file.Close() // it did not work
		<-time.After(d)
		return
	}
	select {
	case clocks <- c:
	default:
		_ = c.file.Close() // it has nothing to write
	}
}
