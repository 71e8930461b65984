package process

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUnreapedIsDead: a killed process that has not been reaped has left its children
// behind like any other.
func TestUnreapedIsDead(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0], "-test.run=^$")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Wait() }()
	entry, ok := readStat(child.Process.Pid)
	if !ok {
		t.Fatal("a child that was not waited for has no entry")
	}
	id := fmt.Sprintf("%d.%d.%s.00ff", child.Process.Pid, entry.started, namespace())
	if err := unix.Waitid(unix.P_PID, child.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if !isDead(id) {
		t.Error("a process that has ended counts as alive")
	}
	if isDead(identity() + ".00ff") {
		t.Error("this process counts as dead")
	}
}
