package groovy

import (
	"os/exec"
	"runtime"
	"syscall"
)

// runBound is [exec.Cmd.Run] of a command that ends when this process does, even
// when that is killed: a compiler that outlives its executor writes into a folder
// that may be gone.
func runBound(cmd *exec.Cmd) error {
	// The signal is sent when the thread that started the child ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd.Run()
}
