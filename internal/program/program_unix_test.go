//go:build unix

package program

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
	"testing"
	"time"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	commit := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123456789abcdef0123"}}
	for want, c := range map[string]struct {
		linked string
		info   debug.BuildInfo
	}{
		"1.2.3":              {"1.2.3", debug.BuildInfo{Main: debug.Module{Version: "v9"}, Settings: commit}},
		"v1.4.0":             {"", debug.BuildInfo{Main: debug.Module{Version: "v1.4.0"}, Settings: commit}},
		"devel+0123456789ab": {"", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: commit}},
		"devel":              {"", debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "short"}}}},
	} {
		if got := version(c.linked, &c.info); got != want {
			t.Errorf("the version is %q, want %q", got, want)
		}
	}
	if Version("1.0") != "1.0" || Version("") == "" {
		t.Errorf("this program has the version %q", Version(""))
	}
}

// The first signal ends what runs, the second one the process.
func TestUntilAsked(t *testing.T) {
	t.Parallel()
	if os.Getenv("ORTH_TEST_SIGNALS") != "" {
		ctx := UntilAsked(t.Context())
		_, _ = fmt.Fprintln(os.Stdout, "ready")
		<-ctx.Done()
		_, _ = fmt.Fprintln(os.Stdout, "asked")
		select {} // it does not heed the first one
	}
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUntilAsked$")
		cmd.Env = append(os.Environ(), "ORTH_TEST_SIGNALS=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := bufio.NewScanner(out)
		if !said.Scan() || said.Text() != "ready" {
			t.Errorf("%s: it said %q", s, said.Text())
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Error(err)
		}
		if !said.Scan() || said.Text() != "asked" {
			t.Errorf("%s: it said %q", s, said.Text())
		}
		// The process may still be on its way to leaving signals to the system.
		for tick := time.NewTicker(10 * time.Millisecond); cmd.Process.Signal(s) == nil; <-tick.C {
			var status syscall.WaitStatus
			if ended, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WNOHANG, nil); err != nil || ended > 0 {
				if err != nil || status.Signal() != s {
					t.Errorf("%s: it ended with %v, %v", s, status, err)
				}
				break
			}
		}
		_ = cmd.Process.Release() // it was waited for above
		_ = out.Close()
	}
}
