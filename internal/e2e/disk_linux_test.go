package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// TestDiskFull fills the disk of a working executor: it takes no more tasks and
// says why, keeps what it has taken, does not spin, and goes on by itself once
// there is space. One that is killed meanwhile may wait for space as well, or
// end with the reason.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed %t", killed), func(t *testing.T) {
			t.Parallel()
			disk := smallDisk(t, "8m")
			observe := freeAddress(t)
			r := newRig(t, filepath.Join(disk, "executor"), "--metrics-listen", observe)
			r.start("")
			loads := []load{
				{id: 1, overlap: job.OverlapSerial, body: "sleep 0.05", bytes: 20 << 10},
				{id: 2, overlap: job.OverlapConcurrent, width: 3, body: "sleep 0.1", bytes: 20 << 10},
				{id: 3, overlap: job.OverlapSerial, onCrash: job.CrashRerun, bytes: 2 << 10},
			}
			r.flood(loads, 5)
			ballast := filepath.Join(disk, "ballast")
			r.fillUp(ballast, loads, observe)
			if killed {
				r.restartOnFullDisk()
			} else {
				r.idles(3 * time.Second)
			}
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			if killed {
				r.startsWithSpace(observe)
			}
			r.resend()
			r.settled()
			r.recovers(loads[0], observe)
			r.stop()
			// A task may have begun that could not note it, or not write its log or its script.
			r.judge(verdict{outcomes: []string{
				"failed: the start of the task cannot be noted", "failed: the run log cannot be written", "failed: prepare the handler",
			}})
		})
	}
}

// fillUp fills the disk under load until the executor takes no task, and checks
// what it says about that.
func (r *rig) fillUp(ballast string, loads []load, observe string) {
	r.t.Helper()
	fill(r.t, ballast)
	var refusal, text string
	var status int
	eventually(r.t, func() error {
		r.flood(loads, 5) // what was made room for before is used up first
		fill(r.t, ballast)
		if refusal = r.send(loads[1]).text; refusal == "" {
			return fmt.Errorf("a task was taken")
		}
		if status, text = health(r.t, observe); status == 200 {
			return fmt.Errorf("the executor with a full disk says that it is well: %s", text)
		}
		return nil
	})
	if !strings.Contains(refusal, "no space left on device") {
		r.t.Errorf("the refusal does not say why: %s", refusal)
	}
	noStack(r.t, "the refusal", refusal)
	if status != 503 || !strings.Contains(text, "cannot be written") || !strings.Contains(text, "no space left") {
		r.t.Errorf("/healthz answers %d %q, want 503 and the reason", status, text)
	}
	r.t.Logf("refused with %q, /healthz says %q", refusal, text)
	if r.ended() {
		r.t.Fatal("the executor has ended")
	}
}

// restartOnFullDisk kills the executor and starts it again. It may end, with a
// reason, and must not look well.
func (r *rig) restartOnFullDisk() {
	r.t.Helper()
	r.kill()
	r.start("")
	if r.ended() {
		r.endedOfFullDisk()
	} else {
		r.t.Log("it starts on a full disk")
	}
}

// endedOfFullDisk looks at how an executor has ended that was started on a full disk.
func (r *rig) endedOfFullDisk() {
	r.t.Helper()
	out := r.now.out.String()
	r.t.Logf("on a full disk it says: %s", out)
	// It meets the full disk when it opens the queue, or later when it writes to it: that is
	// no failure of the start but something that passes.
	const failed, unavailable = 1, 6
	code := r.now.cmd.ProcessState.ExitCode()
	if code != failed && code != unavailable || !strings.Contains(out, "no space left on device") {
		r.t.Errorf("on a full disk it ends with code %d: %s", code, out)
	}
	noStack(r.t, "the start on a full disk", out)
}

// startsWithSpace waits until the executor is well, now that there is space. It may have ended
// for want of space after it had answered for the first time: then it is started again.
func (r *rig) startsWithSpace(observe string) {
	r.t.Helper()
	eventually(r.t, func() error {
		if r.ended() {
			r.endedOfFullDisk()
			r.start("")
		}
		if status, text := health(r.t, observe); status != 200 {
			return fmt.Errorf("/healthz answers %d %s", status, text)
		}
		return nil
	})
}

// recovers waits until the executor is well and takes a task.
func (r *rig) recovers(l load, observe string) {
	r.t.Helper()
	eventually(r.t, func() error {
		if status, text := health(r.t, observe); status != 200 {
			return fmt.Errorf("/healthz answers %d %s", status, text)
		}
		return nil
	})
	eventually(r.t, func() error {
		if q := r.send(l); q.fate != accepted {
			return fmt.Errorf("with space again a task is refused: %s", q.text)
		}
		return nil
	})
	r.settled()
}

// smallDisk mounts a small file system that is gone after the test.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size)
	if err != nil && os.Getenv("ORTH_REQUIRE_TOOLS") == "" {
		t.Skipf("a small disk cannot be mounted here (it needs root): %v", err)
	}
	if err != nil {
		t.Fatalf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount the small disk: %v", err)
		}
	})
	return dir
}

// fill writes until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for page := make([]byte, 4096); err == nil; {
		_, err = f.Write(page)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("fill the disk: %v", err)
	}
}

// idles checks that the executor leaves the processor alone for d.
func (r *rig) idles(d time.Duration) {
	r.t.Helper()
	before := ticks(r.t, r.now.cmd.Process.Pid)
	timer := time.NewTimer(d)
	<-timer.C
	took := time.Duration(ticks(r.t, r.now.cmd.Process.Pid)-before) * 10 * time.Millisecond
	r.t.Logf("the executor used %s of the processor in %s", took, d)
	if took > d/4 {
		r.t.Errorf("the executor used %s of the processor in %s of a full disk", took, d)
	}
}

// ticks returns the hundredths of a second that a process has used.
func ticks(t *testing.T, pid int) int {
	t.Helper()
	text := mustRead(t, fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
	const user, system = 11, 12
	if len(fields) <= system {
		t.Fatalf("/proc/%d/stat: %q", pid, text)
	}
	u, errUser := strconv.Atoi(fields[user])
	s, errSystem := strconv.Atoi(fields[system])
	if err := errors.Join(errUser, errSystem); err != nil {
		t.Fatal(err)
	}
	return u + s
}
