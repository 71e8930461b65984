package runlog

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

const victimDir = "ORTH_TEST_RUNLOG_DIR"

// TestCrash kills a process that writes logs, and looks for what was promised.
func TestCrash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashVictim$", "-test.v")
	victim.Env = append(os.Environ(), victimDir+"="+dir)
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	finished, lines := 0, 0
	in := bufio.NewScanner(out)
	for in.Scan() { // what should be on the disk by then, by the victim's report
		if _, err := fmt.Sscanf(in.Text(), "promised %d %d", &finished, &lines); err == nil && finished >= 2000 {
			break
		}
	}
	_ = victim.Process.Kill()
	for in.Scan() {
		_, _ = fmt.Sscanf(in.Text(), "promised %d %d", &finished, &lines)
	}
	_ = victim.Wait()
	if finished < 2000 || lines == 0 {
		t.Fatalf("the victim ended too early: %d runs, %d lines", finished, lines)
	}
	l := reopen(t, dir, Config{})
	for attempt := 2; attempt < 2+finished; attempt++ {
		if got := read(t, l, int64(attempt), 1).Text; got != textOf(attempt) {
			t.Fatalf("attempt %d of %d: %q", attempt, finished, got)
		}
	}
	text, _ := all(t, l, 1)
	if n := strings.Count(text, "\n"); n < lines {
		t.Errorf("%d lines of the long run, want %d", n, lines)
	}
	w := create(t, l, 1)
	write(t, w, "after the crash\n")
	closeLog(t, w)
	if text, _ := all(t, l, 1); !strings.HasSuffix(text, "\nafter the crash\n") {
		t.Errorf("the log does not go on: %.100q", text)
	}
}

// TestCrashVictim is the process that dies.
func TestCrashVictim(t *testing.T) {
	dir := os.Getenv(victimDir)
	if dir == "" {
		t.Skip("only TestCrash starts this one")
	}
	l := reopen(t, dir, Config{SpillAfter: 10 * time.Millisecond})
	long := create(t, l, 1)
	written := 0
	for finished := 0; finished < 1_000_000; {
		for range 20 {
			finished++
			w, err := l.Create(int64(finished+1), noon)
			if err != nil {
				t.Fatal(err)
			}
			write(t, w, textOf(finished+1))
			closeLog(t, w)
			write(t, long, fmt.Sprintf("line %d\n", written))
			written++
		}
		if finished%100 == 0 { // in between it is killed with something in memory
			flushed(t, l)
			_, _ = fmt.Fprintf(os.Stdout, "promised %d %d\n", finished, written)
		}
	}
}

// flushed waits until the sweeper has nothing left to write.
func flushed(t *testing.T, l *Logs) {
	t.Helper()
	s := &l.sweeper
	idle := func() bool {
		s.sweeping.Lock() // what a sweep has taken is written when it is over
		defer s.sweeping.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.packed && len(s.dirty) == 0 && !slices.ContainsFunc(s.young, func(y young) bool { return y.w.young.Load() })
	}
	for end := time.Now().Add(20 * time.Second); !idle(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("what was written is in memory for 20 s")
		}
	}
}
