package nap

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxClocks is how many clocks are kept for the next naps.
const maxClocks = 16

// clocks are unused timers of the kernel.
var clocks = make(chan *clock, maxClocks) //nolint:gochecknoglobals // A free list.

// clock is a timer of the kernel that wakes the poller of this process: no thread waits for
// it.
//
// Its system calls do not block, so they bypass the runtime: otherwise each would wake the
// runtime's thread that looks for blocking ones.
type clock struct {
	handle int
	file   *os.File // owns handle
	poll   syscall.RawConn
	ring   func(handle uintptr) bool // takes a ring
}

func newClock() (*clock, error) {
	handle, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	c := &clock{handle: handle, file: os.NewFile(uintptr(handle), "clock")}
	if c.poll, err = c.file.SyscallConn(); err != nil {
		return nil, errors.Join(err, c.file.Close())
	}
	times := new([8]byte)
	c.ring = func(handle uintptr) bool {
		_, _, err := unix.RawSyscall(unix.SYS_READ, handle, uintptr(unsafe.Pointer(times)), unsafe.Sizeof(*times)) //nolint:gosec // The kernel writes eight bytes.
		return err != unix.EAGAIN
	}
	return c, nil
}

// sleep waits for as long.
func (c *clock) sleep(d time.Duration) error {
	if err := c.set(d); err != nil {
		return err
	}
	return c.wait()
}

// set makes the clock ring after d, which is positive.
func (c *clock) set(d time.Duration) error {
	var setting unix.ItimerSpec
	setting.Value = unix.NsecToTimespec(int64(d))
	_, _, err := unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(c.handle), 0, uintptr(unsafe.Pointer(&setting)), 0, 0, 0) //nolint:gosec // The kernel reads a setting.
	if err != 0 {
		return os.NewSyscallError("timerfd_settime", err)
	}
	return nil
}

// wait returns when the clock rings.
func (c *clock) wait() error { return c.poll.Read(c.ring) }

// alarm is an Alarm that has a clock. Setting and reading an open clock do not fail.
type alarm struct{ clock *clock }

func newAlarm() Alarm {
	c, err := newClock()
	if err != nil { // the process has too many files open
		return nil
	}
	return alarm{c}
}

func (a alarm) Set(at time.Time) { _ = a.clock.set(max(time.Until(at), 1)) }
func (a alarm) Wait()            { _ = a.clock.wait() }
func (a alarm) Close()           { _ = a.clock.file.Close() }

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
