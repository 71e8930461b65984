package main

import (
	"encoding/binary"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// metronome is a periodic timer of the kernel. It wakes Go's poller, so no thread waits for it.
type metronome struct{ file *os.File }

// newMetronome returns a timer whose first instant is `from`.
func newMetronome(from time.Time, gap time.Duration) (*metronome, error) {
	handle, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	m := &metronome{os.NewFile(uintptr(handle), "metronome")}
	setting := unix.ItimerSpec{Interval: unix.NsecToTimespec(int64(gap)), Value: unix.NsecToTimespec(from.UnixNano())}
	if err := unix.TimerfdSettime(handle, unix.TFD_TIMER_ABSTIME, &setting, nil); err != nil {
		return nil, errors.Join(os.NewSyscallError("timerfd_settime", err), m.file.Close())
	}
	return m, nil
}

// wait returns how many instants have passed since the last call, at least one.
func (m *metronome) wait() (int, error) {
	var times [8]byte
	_, err := m.file.Read(times[:])
	return int(binary.NativeEndian.Uint64(times[:])), err
}

// syncData makes what was written durable; of the file's own data only what reading needs.
func syncData(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
