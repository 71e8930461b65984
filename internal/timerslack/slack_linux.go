package timerslack

import (
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Coarsen has all threads of this process wake up to a [Coarse] late, unless an operator has
// chosen another slack than the standard one. It starts the program again with the same
// arguments and environment, in the same process, so it is to be called first of all and by
// the main goroutine. Where that is not possible, the process goes on as it is.
func Coarsen() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if get() != standard {
		return
	}
	set(Coarse)
	if get() != Coarse { // a kernel that only says that it sets it: nothing would change
		return
	}
	if path, err := os.Executable(); err == nil {
		_ = syscall.Exec(path, os.Args, os.Environ()) //nolint:gosec // It is this very program, and returns only if that failed.
	}
	set(standard)
}

// Refine gives the calling thread, and children that it starts, the standard slack if
// [Coarsen] had set it, and returns what takes that back. The goroutine must be locked to
// its thread.
func Refine() (undo func()) {
	if get() != Coarse {
		return func() {}
	}
	set(standard)
	return func() { set(Coarse) }
}

// get returns the slack of the calling thread; 0 when that is not told.
func get() time.Duration {
	ns, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		return 0
	}
	return time.Duration(ns)
}

func set(d time.Duration) {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(d.Nanoseconds()), 0, 0, 0) // get tells
}
