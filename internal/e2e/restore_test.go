//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/job"
)

// TestRestore copies a server under load, kills it a while later, and puts the copy back
// in another folder: by the journal of the executor no slot runs twice, what nobody knows
// is told, and the outcome of an attempt that the copy does not have changes nothing.
func TestRestore(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := s.startServer()
	executor := s.startExecutor()
	journal, gate := filepath.Join(s.dir, "journal"), filepath.Join(s.dir, "gate")
	ran := func() []string { return lines(mustRead(t, journal)) }
	grown := func(least int) {
		t.Helper()
		eventually(t, func() error {
			if n := len(ran()); n < least {
				return fmt.Errorf("%d slots ran, want %d", n, least)
			}
			return nil
		})
	}
	s.orth("job", "create", "tick", "--group", s.group, "--cron", "* * * * * ?", "--misfire", "fire-all",
		"--shell", "sleep 0.8; echo $ORTH_JOB_SCHEDULE_TIME >>"+journal, "--enable")
	s.orth("job", "create", "slow", "--group", s.group, "--manual",
		"--shell", "echo started >"+gate+".on; while [ ! -e "+gate+" ]; do sleep 0.1; done")
	grown(3)
	archive := filepath.Join(s.dir, "orth.tar.zst")
	s.orth("backup", archive)
	if info, err := os.Stat(archive); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the archive: %v, %v", info, err)
	}
	if _, stderr, code := run(t, nil, "backup", "verify", archive); code != 0 {
		t.Fatalf("a check of the archive: %d, %s", code, stderr)
	}
	after := len(ran())
	grown(after + 4)
	late := s.trigger("slow")
	eventually(t, func() error { _, err := os.Stat(gate + ".on"); return err })
	attempt := s.becomes(late, job.Running).AttemptID

	if _, stderr, code := run(t, nil, "restore", archive, "--data", s.data(), "--replace", "--yes"); code != 5 || !strings.Contains(stderr, "another orth server") {
		t.Errorf("a folder in use: %d, %s", code, stderr)
	}
	server.kill()
	mustWrite(t, gate, "") // its outcome waits in the outbox
	if _, stderr, code := run(t, nil, "restore", archive, "--data", s.data(), "--yes"); code != 5 || !strings.Contains(stderr, "already has a database") {
		t.Errorf("a folder with a database: %d, %s", code, stderr)
	}
	again := &site{t: t, dir: scratch(t), server: s.server, executor: s.executor, group: s.group}
	stdout, stderr, code := run(t, nil, "restore", archive, "--data", again.data(), "--yes", "-o", "json")
	if code != 0 {
		t.Fatalf("restore: %d, %s", code, stderr)
	}
	var report backup.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if report.LateJobs != 1 || report.Jobs[0].Job != "tick" || report.Slots+report.Waited < 4 || report.NumbersFrom <= int64(attempt)+backup.MinJump-2000 {
		t.Errorf("the report: %s", stdout)
	}

	before := len(ran())
	again.startServer()
	grown(before + 4)
	again.orth("job", "disable", "tick")
	seen := map[string]bool{}
	for _, slot := range ran() {
		if seen[slot] {
			t.Errorf("the slot %s ran twice", slot)
		}
		seen[slot] = true
	}
	eventually(t, func() error {
		for _, r := range again.runs("tick") { // of those that the restored server has sent none is under way
			if int64(r.AttemptID) >= report.NumbersFrom && !r.Final {
				return fmt.Errorf("run %d is %s", r.ID, r.State)
			}
		}
		return nil
	})
	if code := executor.stop(); code != 0 {
		t.Errorf("the executor's exit code is %d", code)
	}
	stdout, stderr, code = run(t, nil, "queue", "list", "--queue", "outbox", "--data", filepath.Join(s.dir, "executor"), "-o", "json")
	if code != 0 || strings.TrimSpace(stdout) != "[]" {
		t.Errorf("the server has not taken all outcomes, that of attempt %d among them: %d, %s%s", attempt, code, stdout, stderr)
	}
	if runs := again.runs("slow"); len(runs) != 0 {
		t.Errorf("the copy has no run of slow, and now there are %v", runs)
	}
	left := 0
	for _, r := range again.runs("tick") {
		if r.State == job.Skipped && strings.Contains(r.Reason, "it is not known whether the firing of") {
			left++
		}
		if made := int64(r.AttemptID); made >= int64(attempt) && made < report.NumbersFrom {
			t.Errorf("run %d has attempt %d, which the lost server may have given", r.ID, made)
		}
	}
	if left != report.Slots {
		t.Errorf("%d slots are told as left out, the report says %d", left, report.Slots)
	}
	if audit := again.orth("audit", "list", "--operation", "restore", "-o", "json"); !strings.Contains(audit, "orth restore") || !strings.Contains(audit, "numbers_from") {
		t.Errorf("the audit has no line of it: %s", audit)
	}
}
