//go:build unix

package e2e

import (
	"fmt"
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
	journal, gate := s.queued(4)
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
	s.wantOnce(journal, 4)
}
