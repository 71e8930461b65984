//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// TestExecutorMoves kills an executor while tasks wait in its queue, and starts it with its
// folder at another address: what it has is not lost when the lease of the old address ends,
// and runs once.
func TestExecutorMoves(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer("ORTH_LEASE_TTL=25s")
	executor := s.startExecutor()
	journal, gate := s.queued(4)
	executor.kill()
	was := s.executor
	s.executor = freeAddress(t)
	s.startExecutor()
	var gone time.Time // since when the old address has no lease
	eventually(t, func() error {
		for _, r := range s.runs("queued") {
			if r.State == job.Lost || r.Tries > 1 {
				t.Fatalf("run %d is %s after %d attempts: %s", r.ID, r.State, r.Tries, r.Reason)
			}
		}
		switch out := s.orth("executors"); {
		case strings.Contains(out, was):
			return fmt.Errorf("the old address has a lease:\n%s", out)
		case gone.IsZero():
			gone = time.Now()
		}
		// The server looks for attempts without an executor every 5 s.
		if passed := time.Since(gone); passed < 12*time.Second {
			return fmt.Errorf("the old address is gone for %s", passed)
		}
		return nil
	})
	mustWrite(t, gate, "")
	s.wantOnce(journal, 3)
}

// queued makes a job whose runs wait for a gate, and waits until one of its runs has begun
// and all others wait in the executor's queue.
func (s *site) queued(runs int) (journal, gate string) {
	s.t.Helper()
	journal, gate = filepath.Join(s.dir, "journal"), filepath.Join(s.dir, "gate")
	s.orth("job", "create", "queued", "--group", s.group, "--manual", "--overlap", "serial", "--overlap-scope", "executor",
		"--shell", "echo $ORTH_JOB_LOG_ID >>"+journal+"; while [ ! -e "+gate+" ]; do sleep 0.05; done")
	for range runs {
		s.trigger("queued")
	}
	eventually(s.t, func() error {
		arrived := 0
		for _, r := range s.runs("queued") {
			if r.State == job.Running {
				arrived++
			}
		}
		if arrived < runs || len(lines(mustRead(s.t, journal))) != 1 {
			return fmt.Errorf("%d of %d runs have arrived", arrived, runs)
		}
		return nil
	})
	return journal, gate
}

// wantOnce waits until so many runs have succeeded, and checks that each attempt ran once.
func (s *site) wantOnce(journal string, want int) {
	s.t.Helper()
	eventually(s.t, func() error {
		if n := succeeded(s.runs("queued")); n != want {
			return fmt.Errorf("%d runs have succeeded, want %d", n, want)
		}
		return nil
	})
	ran := lines(mustRead(s.t, journal))
	slices.Sort(ran)
	if once := slices.Compact(slices.Clone(ran)); len(ran) != len(once) {
		s.t.Errorf("the journal has %q, want each attempt once", ran)
	}
}

// TestTwoExecutorsAtOneAddress starts a second executor that registers the address of the
// first one: it is refused and shown, and no run is doubled or lost.
func TestTwoExecutorsAtOneAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	first := s.startExecutor()
	second := start(t, "executor", nil, "executor", "--servers", "http://"+s.server, "--group", s.group,
		"--executor-token-file", filepath.Join(s.data(), "executor.token"), "--listen", freeAddress(t), "--address", "http://"+s.executor+"/",
		"--data", filepath.Join(s.dir, "second"), "--scripts")
	journal := filepath.Join(s.dir, "journal")
	s.orth("job", "create", "queued", "--group", s.group, "--every", "1s", "--overlap", "concurrent",
		"--shell", "echo $ORTH_JOB_LOG_ID >>"+journal, "--enable")
	eventually(t, func() error {
		stdout, _, _ := s.try("doctor")
		list := s.orth("executors")
		const says = "another executor registers this address too, and is refused"
		if !strings.Contains(stdout, says) || !strings.Contains(list, "suspect") {
			return fmt.Errorf("it is not shown:\n%s%s", stdout, list)
		}
		return nil
	})
	eventually(t, func() error {
		if log := second.out.String(); !strings.Contains(log, "another executor has registered the address") {
			return fmt.Errorf("the second executor is not told:\n%s", log)
		}
		return nil
	})
	eventually(t, func() error {
		if n := succeeded(s.runs("queued")); n < 15 {
			return fmt.Errorf("%d runs have succeeded", n)
		}
		return nil
	})
	second.stop() // it ends no lease but its own
	if out := s.orth("executors"); !strings.Contains(out, s.executor) {
		t.Errorf("the first executor is gone:\n%s", out)
	}
	s.orth("job", "disable", "queued")
	eventually(t, func() error {
		for _, r := range s.runs("queued") {
			if !r.State.Final() {
				return fmt.Errorf("run %d is %s", r.ID, r.State)
			}
		}
		return nil
	})
	all := s.runs("queued")
	s.wantOnce(journal, len(all))
	if n := len(lines(mustRead(t, journal))); n != len(all) {
		t.Errorf("%d of %d runs wrote their line", n, len(all))
	}
	first.stop()
}

// TestCopiedExecutorFolder starts an executor with a copy of the data folder of another one
// that lives: both are shown, and the server warns.
func TestCopiedExecutorFolder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := s.startServer()
	s.startExecutor().stop() // its folder is copied without its socket
	folder := filepath.Join(s.dir, "copy")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(s.dir, "executor"))); err != nil {
		t.Fatal(err)
	}
	first := s.startExecutor()
	address := freeAddress(t)
	second := start(t, "executor", nil, "executor", "--servers", "http://"+s.server, "--group", s.group,
		"--executor-token-file", filepath.Join(s.data(), "executor.token"), "--listen", address, "--data", folder, "--scripts")
	const says = "are copies of one another"
	eventually(t, func() error {
		doctor, _, _ := s.try("doctor")
		list := s.orth("executors")
		if strings.Count(doctor, says) != 2 || strings.Count(list, "suspect") != 2 || !strings.Contains(list, s.executor) || !strings.Contains(list, address) {
			return fmt.Errorf("they are not shown:\n%s%s", doctor, list)
		}
		return nil
	})
	if log := server.out.String(); !strings.Contains(log, "an executor is in doubt") || !strings.Contains(log, says) {
		t.Errorf("the server does not warn:\n%s", log)
	}
	second.stop()
	eventually(t, func() error {
		if list := s.orth("executors"); strings.Contains(list, "suspect") {
			return fmt.Errorf("the first one is in doubt still:\n%s", list)
		}
		return nil
	})
	first.stop()
}
