package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

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

// stopFirst makes the start stop the child before the first instruction of its
// program: it is traced for that long.
func stopFirst(cmd *exec.Cmd) { cmd.SysProcAttr.Ptrace = true }

// awaitStop waits for the stop that stopFirst asked for.
func awaitStop(cmd *exec.Cmd) error {
	if !cmd.SysProcAttr.Ptrace {
		return nil
	}
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("wait for the child's stop: %w", err)
		case info.Code != cldTrapped:
			return errors.New("it was killed before its program ran")
		}
		return nil
	}
}

// cldTrapped is CLD_TRAPPED: a traced child has stopped.
const cldTrapped = 4

// resume lets a stopped child run on, untraced.
func resume(cmd *exec.Cmd) error {
	if !cmd.SysProcAttr.Ptrace {
		return nil
	}
	return unix.PtraceDetach(cmd.Process.Pid)
}

// rlimits sets what the kernel bounds for each process. A soft limit on the
// time ends a process with a signal of its own, a second before the hard one.
func (l Limits) rlimits(pid int) error {
	set := func(name string, resource int, soft, hard uint64) error {
		if err := unix.Prlimit(pid, resource, &unix.Rlimit{Cur: soft, Max: hard}, nil); err != nil {
			return fmt.Errorf("set the limit on %s to %d: %w", name, soft, err)
		}
		return nil
	}
	var err error
	if n := l.seconds(); l.CPUTime > 0 {
		err = set(limitCPU, unix.RLIMIT_CPU, n, n+1)
	}
	if n := uint64(l.OpenFiles); err == nil && n > 0 {
		err = set(limitFiles, unix.RLIMIT_NOFILE, n, n)
	}
	if n := uint64(l.FileSize); err == nil && n > 0 {
		err = set(limitSize, unix.RLIMIT_FSIZE, n, n)
	}
	return err
}

// needRlimits reports whether rlimits has something to do.
func (l Limits) needRlimits() bool { return l.CPUTime > 0 || l.OpenFiles > 0 || l.FileSize > 0 }

// rlimitReason finds, by a child's end, which of its own limits it broke.
func (l Limits) rlimitReason(state *os.ProcessState) string {
	value := exitValue(state)
	used := state.UserTime() + state.SystemTime()
	switch {
	case l.CPUTime > 0 && (value == 128+int(syscall.SIGXCPU) || value == 128+int(syscall.SIGKILL) && used >= l.CPUTime):
		return fmt.Sprintf("killed: it used more than %s of CPU time", time.Duration(l.seconds())*time.Second)
	case l.FileSize > 0 && value == 128+int(syscall.SIGXFSZ):
		return fmt.Sprintf("killed: it wrote a file of more than %s", formatSize(l.FileSize))
	}
	return ""
}

// pause waits between two looks at a tree that is being killed: longer each
// time. It reports false when it was long enough.
type pause struct {
	started time.Time
	next    time.Duration
}

// killFor bounds how long a tree is killed again and again.
const killFor = 10 * time.Second

func (p *pause) waitForNext() bool {
	if p.started.IsZero() {
		p.started, p.next = time.Now(), 500*time.Microsecond
	}
	if time.Since(p.started) > killFor {
		return false
	}
	<-time.After(p.next)
	p.next = min(p.next*2, 50*time.Millisecond)
	return true
}
