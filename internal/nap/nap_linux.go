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
	if err := c.set(d); err != nil {
		return err
	}
	return c.wait()
}

// set has the clock ring after d, which is positive.
func (c *clock) set(d time.Duration) error {
	var setting unix.ItimerSpec
	setting.Value = unix.NsecToTimespec(int64(d))
	return os.NewSyscallError("timerfd_settime", unix.TimerfdSettime(c.handle, 0, &setting, nil))
}

// wait returns when the clock rings.
func (c *clock) wait() error {
	var times [8]byte
	_, err := c.file.Read(times[:])
	return err
}

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
