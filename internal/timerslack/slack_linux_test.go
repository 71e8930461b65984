package timerslack

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// role makes the test binary a program that coarsens its timers, says so, and starts a
// child with or without Refine.
const role = "ORTH_TIMERSLACK_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "child":
		_, _ = fmt.Fprintln(os.Stdout, "child", get())
	case "chosen":
		set(2 * time.Millisecond)
		fallthrough
	case "parent":
		Coarsen()
		runtime.LockOSThread()
		_, _ = fmt.Fprintln(os.Stdout, "parent", get(), os.Args[1:])
		undo := Refine()
		child := exec.Command(os.Args[0])
		child.Env = []string{role + "=child"}
		out, err := child.Output()
		undo()
		_, _ = fmt.Fprintln(os.Stdout, strings.TrimSpace(string(out)), err, get())
	}
}

// A program that coarsens its timers is started again with its arguments, once; its children
// have the standard slack; what an operator has chosen stays.
func TestCoarsen(t *testing.T) {
	t.Parallel()
	for as, want := range map[string]string{
		"parent": "parent 1ms [one two]\nchild 50µs <nil> 1ms\n",
		"chosen": "parent 2ms [one two]\nchild 2ms <nil> 2ms\n",
	} {
		program := exec.CommandContext(t.Context(), os.Args[0], "one", "two")
		program.Env = []string{role + "=" + as}
		out, err := program.CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("as a %s: %q, %v; want %q", as, out, err, want)
		}
	}
}

// Refine changes nothing that Coarsen has not set.
func TestRefineOfTheStandard(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread() // for good: the thread ends with this goroutine
	for _, d := range []time.Duration{standard, 3 * time.Millisecond} {
		set(d)
		undo := Refine()
		if got := get(); got != d {
			t.Errorf("%v became %v", d, got)
		}
		undo()
		if got := get(); got != d {
			t.Errorf("%v became %v afterwards", d, got)
		}
	}
}
