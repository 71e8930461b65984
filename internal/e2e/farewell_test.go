//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// TestExecutorKeepsItsQueue stops an executor gracefully while tasks wait in its queue,
// and starts it again: nothing of them is lost meanwhile, and each runs once.
func TestExecutorKeepsItsQueue(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	executor := s.startExecutor()
	journal, gate := filepath.Join(s.dir, "journal"), filepath.Join(s.dir, "gate")
	s.orth("job", "create", "queued", "--group", s.group, "--manual", "--overlap", "serial", "--overlap-scope", "executor",
		"--shell", "echo $ORTH_JOB_LOG_ID >>"+journal+"; while [ ! -e "+gate+" ]; do sleep 0.05; done")
	for range 4 {
		s.trigger("queued")
	}
	eventually(t, func() error {
		arrived := 0
		for _, r := range s.runs("queued") {
			if r.State == job.Running {
				arrived++
			}
		}
		if arrived < 4 || len(lines(mustRead(t, journal))) != 1 {
			return fmt.Errorf("%d of 4 runs have arrived", arrived)
		}
		return nil
	})
	executor.ask()
	eventually(t, func() error { // it takes no more tasks, and keeps what it has
		if out := s.orth("executors"); !strings.Contains(out, "draining") {
			return fmt.Errorf("the executor is not draining:\n%s", out)
		}
		return nil
	})
	mustWrite(t, gate, "")
	if code := executor.ended(); code != 0 {
		t.Fatalf("the executor's exit code is %d\n%s", code, executor.out)
	}
	// The server looks for attempts without an executor every 5 s.
	away := time.Now()
	eventually(t, func() error {
		for _, r := range s.runs("queued") {
			if r.State == job.Lost || r.Tries > 1 {
				t.Fatalf("run %d is %s after %d attempts: %s", r.ID, r.State, r.Tries, r.Reason)
			}
		}
		if passed := time.Since(away); passed < 12*time.Second {
			return fmt.Errorf("the executor is away for %s", passed)
		}
		return nil
	})
	s.startExecutor()
	eventually(t, func() error {
		if n := succeeded(s.runs("queued")); n != 4 {
			return fmt.Errorf("%d runs have succeeded, want 4", n)
		}
		return nil
	})
	ran := lines(mustRead(t, journal))
	slices.Sort(ran)
	if once := slices.Compact(slices.Clone(ran)); len(ran) != 4 || len(once) != 4 {
		t.Errorf("the journal has %q, want each of 4 attempts once", ran)
	}
}
