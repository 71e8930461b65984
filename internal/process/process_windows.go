package process

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/orthd/orth/job"
)

// account is the user that children run as. There is only the own here.
type account struct{}

func lookup(text string) (*account, error) {
	if text == "" {
		return nil, nil
	}
	return nil, job.FieldErrorf("user", "is for Unix: run the executor's service as that user")
}

func (a *account) become(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED,
	}
}

func (a *account) environ(env []string) []string { return env }

func (a *account) chown(string) error { return nil }

func (a *account) share(string) error { return nil }

func (a *account) mayEnter(fs.FileInfo) bool { return true }

func single(fs.FileInfo) bool { return true }

func exitValue(state *os.ProcessState) int { return state.ExitCode() }

func sameName(a, b string) bool { return strings.EqualFold(a, b) }

// identity is this process's number: dead processes cannot be recognized here.
func identity() string { return strconv.Itoa(os.Getpid()) }

func isDead(string) bool { return false }

// sweepMarked has nothing to do: a job object ends with its last handle.
func sweepMarked(*slog.Logger) {}

func awaitExit(p *os.Process) bool {
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(p.Pid))
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	_, err = windows.WaitForSingleObject(handle, windows.INFINITE)
	return err == nil
}

func awaitStop(*exec.Cmd) error { return nil }

// resume lets the child's only thread run.
func resume(cmd *exec.Cmd) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if int(entry.OwnerProcessID) != cmd.Process.Pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("open the child's thread: %w", err)
		}
		_, err = windows.ResumeThread(thread)
		return errors.Join(err, windows.CloseHandle(thread))
	}
	return fmt.Errorf("find the child's thread: %w", err)
}

func isolations(isolation string) []way {
	if isolation == cgroup1 || isolation == cgroup2 {
		return []way{{name: isolation, open: func(*Spawner) (keeper, error) {
			return nil, job.Errorf(job.Unavailable, "only Linux has it")
		}}}
	}
	return []way{{name: "job object", open: openJobs, bare: true}}
}

// jobs keeps trees together with job objects.
type jobs struct{ limits Limits }

func openJobs(s *Spawner) (keeper, error) {
	if names := s.config.Limits.unkept(limitMemory, limitProcesses, limitCPU); names != "" {
		return nil, job.Errorf(job.Unavailable, "Windows cannot limit %s of children: take the limit away", names)
	}
	return jobs{s.config.Limits}, nil
}

func (jobs) describe() string { return "job object" }

func (jobs) close() error { return nil }

func (j jobs) newTree(string) (tree, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("make a job object: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if n := j.limits.Memory; n > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		info.JobMemoryLimit = uintptr(n)
	}
	if n := j.limits.Processes; n > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
		info.BasicLimitInformation.ActiveProcessLimit = uint32(n)
	}
	if n := j.limits.CPUTime; n > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_PROCESS_TIME
		info.BasicLimitInformation.PerProcessUserTimeLimit = int64(n / (100 * time.Nanosecond))
	}
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("set a job object's limits: %w", err), windows.CloseHandle(handle))
	}
	return &jobTree{handle: handle}, nil
}

// jobTree is the tree of one child.
type jobTree struct {
	handle windows.Handle
	leader uint32
}

func (t *jobTree) prepare(*exec.Cmd) {}

func (t *jobTree) adopt(p *os.Process) error {
	t.leader = uint32(p.Pid)
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, t.leader)
	if err != nil {
		return fmt.Errorf("open the child: %w", err)
	}
	return errors.Join(windows.AssignProcessToJobObject(t.handle, process), windows.CloseHandle(process))
}

// terminate asks with Ctrl-Break, which reaches console programs only.
func (t *jobTree) terminate() {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, t.leader)
}

func (t *jobTree) killAll() int {
	_ = windows.TerminateJobObject(t.handle, 128+9)
	return 0
}

func (t *jobTree) reason(*os.ProcessState) string { return "" }

func (t *jobTree) release() error { return windows.CloseHandle(t.handle) }
