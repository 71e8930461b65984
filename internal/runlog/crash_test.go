package runlog

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
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
	for in.Scan() { // what the victim says was due on the disk by then
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
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	type point struct {
		at              time.Time
		finished, lines int
	}
	var points []point
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
		points = append(points, point{time.Now(), finished, written})
		// Generous beside the 5 ms promised: the machine may be busy.
		for len(points) > 0 && time.Since(points[0].at) > 100*time.Millisecond {
			_, _ = fmt.Fprintf(os.Stdout, "promised %d %d\n", points[0].finished, points[0].lines)
			points = points[1:]
		}
		<-tick.C
	}
}
