//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// TestPath walks the whole path: a job made by the command line fires three
// times, each run succeeds once, and its log can be read.
func TestPath(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := s.startServer()
	executor := s.startExecutor()
	s.orth("job", "create", "tick", "--group", s.group, "--cron", "* * * * * ?", "--param", "a b",
		"--shell", `echo "run for $ORTH_JOB_SCHEDULE_TIME with [$1]"`, "--enable")

	eventually(t, func() error {
		if n := succeeded(s.runs("tick")); n < 3 {
			return fmt.Errorf("%d runs have succeeded, want 3", n)
		}
		return nil
	})
	s.orth("job", "disable", "tick")
	runs := s.runs("tick")
	consecutive(t, runs)
	log := s.orth("run", "log", fmt.Sprint(int64(runs[0].ID)))
	want := fmt.Sprintf("run for %s with [a b]", runs[0].PlannedAt.UTC().Format(time.RFC3339))
	if !strings.Contains(log, want) {
		t.Errorf("the log has no line %q:\n%s", want, log)
	}
	if code := executor.stop(); code != 0 {
		t.Errorf("the executor's exit code is %d, want 0\n%s", code, executor.out)
	}
	if out := s.orth("executors"); strings.Contains(out, s.executor) {
		t.Errorf("the executor said farewell and is still listed:\n%s", out)
	}
	if code := server.stop(); code != 0 {
		t.Errorf("the server's exit code is %d, want 0\n%s", code, server.out)
	}
}

// TestExecutorKilledBetweenAcceptAndStart kills the executor when a task is on
// its disk and not started: the run finishes after the restart, having run once.
func TestExecutorKilledBetweenAcceptAndStart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	journal := filepath.Join(s.dir, "journal")
	executor := s.startExecutor("ORTH_FAILPOINTS=runner/accepted=kill")
	s.orth("job", "create", "once", "--group", s.group, "--manual", "--shell", "echo $ORTH_JOB_LOG_ID >>"+journal)
	id := s.trigger("once")
	executor.killedItself()
	if text := mustRead(t, journal); text != "" {
		t.Fatalf("the script ran before the kill: %q", text)
	}
	s.startExecutor()
	r := s.becomes(id, job.Succeeded)
	if ran := lines(mustRead(t, journal)); len(ran) != 1 || ran[0] != fmt.Sprint(int64(r.AttemptID)) {
		t.Errorf("the journal has %q, want the attempt %d once", ran, r.AttemptID)
	}
	if r.Tries != 1 {
		t.Errorf("the run took %d attempts, want 1", r.Tries)
	}
}

// TestExecutorKilledInTheMiddle kills the executor while a task runs: the
// attempt is reported as failed, and the retry policy gives it another one.
func TestExecutorKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	journal := filepath.Join(s.dir, "journal")
	executor := s.startExecutor("ORTH_FAILPOINTS=runner/started=kill")
	s.orth("job", "create", "middle", "--group", s.group, "--manual", "--retries", "1", "--retry-delay", "100ms",
		"--shell", "echo $ORTH_JOB_LOG_ID >>"+journal)
	id := s.trigger("middle")
	executor.killedItself()
	s.startExecutor()
	r := s.becomes(id, job.Succeeded)
	if r.Tries != 2 {
		t.Errorf("the run took %d attempts, want 2", r.Tries)
	}
	if ran := lines(mustRead(t, journal)); len(ran) != 1 {
		t.Errorf("the journal has %q, want one line", ran)
	}
	shown := s.orth("run", "show", id)
	if !strings.Contains(shown, "executor stopped during the run") {
		t.Errorf("the first attempt does not say why it failed:\n%s", shown)
	}
}

// TestServerKilled kills the server before and after the commit of a firing with its
// attempt, before it sends the task, and before the answer counts, all of it ahead of the
// firing's time, and before and after it has recorded the outcome: after a restart every second has
// exactly one run, and each ran once and not early.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	for _, point := range []string{
		"dispatcher/firing", "dispatcher/fired", "dispatcher/marked", "dispatcher/answered", "completer/committing", "completer/committed",
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.startServer()
			s.startExecutor()
			s.createTick()
			s.startServer("ORTH_FAILPOINTS=" + point + "=kill:2")
			if _, stderr, code := s.try("job", "enable", "tick"); code != 0 {
				t.Logf("the server was killed before it could answer: %s", stderr)
			}
			s.now.killedItself()
			s.startServer()
			s.ticks(6)
		})
	}
}

// TestExecutorKilledWithEarlyTasks kills the executor when it has tasks whose time has not come,
// and when it has come: each second has one run, which succeeds, and ran once and not early.
func TestExecutorKilledWithEarlyTasks(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"runner/early", "runner/due"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.startServer()
			executor := s.startExecutor("ORTH_FAILPOINTS=" + point + "=kill:3")
			s.createTick()
			s.orth("job", "enable", "tick")
			executor.killedItself()
			s.startExecutor()
			for _, r := range s.ticks(6) {
				if r.State != job.Succeeded {
					t.Errorf("run %d is %s (%s)", r.ID, r.State, r.Message)
				}
			}
		})
	}
}

// createTick makes a job of every second that writes down of which one, and when it began.
func (s *site) createTick() {
	s.t.Helper()
	s.orth("job", "create", "tick", "--group", s.group, "--cron", "* * * * * ?", "--misfire", "fire-all",
		"--shell", "echo $ORTH_JOB_SCHEDULE_TIME $(date +%s) >>"+filepath.Join(s.dir, "journal"))
}

// ticks waits until n runs of that job have succeeded, stops it, and checks that each second has one
// run, and each run that succeeded one line in the journal, of not before its second.
func (s *site) ticks(n int) (runs []api.Run) {
	t := s.t
	t.Helper()
	eventually(t, func() error {
		if have := succeeded(s.runs("tick")); have < n {
			return fmt.Errorf("%d runs have succeeded, want %d", have, n)
		}
		return nil
	})
	s.orth("job", "disable", "tick")
	eventually(t, func() error {
		runs = s.runs("tick")
		for _, r := range runs {
			if !r.Final {
				return fmt.Errorf("run %d is %s (%s)", r.ID, r.State, r.Reason)
			}
		}
		return nil
	})
	consecutive(t, runs)
	ran := lines(mustRead(t, filepath.Join(s.dir, "journal")))
	if n := succeeded(runs); len(ran) != n {
		t.Errorf("%d runs succeeded and the journal has %d lines: %q", n, len(ran), ran)
	}
	for _, line := range ran {
		var slot string
		var began int64
		if _, err := fmt.Sscan(line, &slot, &began); err != nil {
			t.Fatalf("the journal has %q: %v", line, err)
		}
		if at, err := time.Parse(time.RFC3339, slot); err != nil || began < at.Unix() {
			t.Errorf("a run began early: %q (%v)", line, err)
		}
	}
	return runs
}

// TestSecondExecutorHere refuses a second executor on the same folder.
func TestSecondExecutorHere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	s.startExecutor()
	_, stderr, code := run(t, nil, "executor", "--servers", "http://"+s.server, "--group", s.group,
		"--executor-token-file", filepath.Join(s.data(), "executor.token"), "--listen", freeAddress(t),
		"--data", filepath.Join(s.dir, "executor"), "--scripts")
	if code != 5 || !strings.Contains(stderr, filepath.Join(s.dir, "executor")) {
		t.Errorf("exit code %d, %q; want 5, a conflict, and the folder's name", code, stderr)
	}
}

// consecutive checks that the runs that were sent have one run for each second,
// without a gap and without a double.
func consecutive(t *testing.T, runs []api.Run) {
	t.Helper()
	seen := map[int64]bool{}
	var first, last int64
	for _, r := range runs {
		second := r.PlannedAt.Unix()
		if seen[second] {
			t.Errorf("second %s has two runs", r.PlannedAt)
		}
		seen[second] = true
		if first == 0 || second < first {
			first = second
		}
		last = max(last, second)
	}
	for second := first; second <= last; second++ {
		if !seen[second] {
			t.Errorf("second %s has no run", time.Unix(second, 0).UTC())
		}
	}
}

func succeeded(runs []api.Run) int {
	n := 0
	for _, r := range runs {
		if r.State == job.Succeeded {
			n++
		}
	}
	return n
}
