package process

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// privateMask keeps the files of children from all but their user.
const privateMask = 0o077

// confine prepares the thread that starts a child of another user. The child can gain no
// privileges by the files that it runs (setuid, file capabilities), makes files that its
// user alone may open, and gets no descriptor but its input and outputs. What is set is
// the thread's own where the kernel has it so, and stays: the thread must be locked, and
// must end with its goroutine.
func (a *account) confine() error {
	if a == nil {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("take the way to more privileges from the child: %w", err)
	}
	if a.ownMask {
		if err := unix.Unshare(unix.CLONE_FS); err != nil {
			return fmt.Errorf("give the child a umask of its own: %w", err)
		}
		unix.Umask(privateMask)
	}
	return closeInherited()
}

// closeInherited keeps the descriptors that this process got from its own parent, or made
// without Go, from children. Those of Go are closed on exec anyway.
func closeInherited() error {
	const first = 3 // behind the input and the outputs
	if unix.CloseRange(first, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	open, err := os.ReadDir("/proc/self/fd") // kernels before 5.11
	if err != nil {
		return fmt.Errorf("find the descriptors that a child must not get: %w", err)
	}
	for _, entry := range open {
		if n, err := strconv.Atoi(entry.Name()); err == nil && n >= first {
			unix.CloseOnExec(n)
		}
	}
	return nil
}

// tryMask finds out whether a thread may have a umask of its own here, which containers
// can forbid, and returns what is lacking in words.
func (a *account) tryMask() (lacks string) {
	if a == nil {
		return ""
	}
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends here
		failed <- unix.Unshare(unix.CLONE_FS)
	}()
	if err := <-failed; err != nil {
		return fmt.Sprintf("children have the executor's umask: unshare: %v", err)
	}
	a.ownMask = true
	return ""
}
