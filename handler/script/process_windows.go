package script

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// ownGroup keeps the executor's own console events from the command.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup asks the command and its children to end. Windows has no
// signal that a console program must hear, so many end only when killed.
func terminateGroup(leader *os.Process) { _ = taskkill(leader) }

// killGroup ends the command and its children, as far as the system still knows
// whose children they are: those of a command that has ended are not found.
func killGroup(leader *os.Process) {
	if taskkill(leader, "/F") != nil {
		_ = leader.Kill()
	}
}

func taskkill(leader *os.Process, flags ...string) error {
	args := append([]string{"/T", "/PID", strconv.Itoa(leader.Pid)}, flags...)
	return exec.Command("taskkill", args...).Run()
}

func exitValue(state *os.ProcessState) int { return state.ExitCode() }

func sameName(a, b string) bool { return strings.EqualFold(a, b) }
