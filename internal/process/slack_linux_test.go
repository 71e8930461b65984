package process

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/orthd/orth/internal/timerslack"
)

// The timers of a server or an executor are coarse, those of its children are not. The
// slack is of a whole process, so the test runs itself in one of its own.
func TestChildrenHaveFineTimers(t *testing.T) {
	t.Parallel()
	const inside = "ORTH_TEST_COARSE"
	if os.Getenv(inside) == "" {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChildrenHaveFineTimers$")
		again.Env = append(os.Environ(), inside+"=1")
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	timerslack.Coarsen()
	if own, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0); own != int(timerslack.Coarse) {
		t.Fatalf("the slack of this process is %d, %v", own, err)
	}
	output := new(buffer)
	if _, err := newSpawner(t, Config{}).Run(t.Context(), shell("cat /proc/self/timerslack_ns", output)); err != nil || output.String() != "50000\n" {
		t.Errorf("the slack of a child is %q, %v; want 50000", output, err)
	}
}
