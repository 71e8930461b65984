package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// settled puts a database with a late job, a run that waits and an open attempt through
// a restore, after so long a time.
func settled(t *testing.T, missed backup.Missed, gone time.Duration) (s *Store, report backup.Report, next [2]int64, open int64) {
	t.Helper()
	path, copied := file(t), filepath.Join(t.TempDir(), "copy.db")
	taken := time.Now().Truncate(time.Second)
	first := mustOpen(t, path, Config{})
	start(t, first)
	j, err := first.CreateJob(t.Context(), job.Job{
		Namespace: job.DefaultNamespace, Key: "tick", Group: "g", Enabled: true, NextAt: taken.Add(time.Minute), Misfire: schedule.MisfireFireAll,
		Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute, Anchor: taken}, Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"},
	})
	if err != nil {
		t.Fatal(err)
	}
	ids := [2]int64{}
	for i := range ids {
		if ids[i], err = first.NextRunID(t.Context()); err == nil {
			err = first.AddRun(t.Context(), job.Run{
				ID: ids[i], JobID: j.ID, Cause: job.CauseManual, CauseID: ids[i], PlannedAt: taken, State: job.Planned, ReadyAt: taken, CreatedAt: taken,
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	open = ids[1] // the first attempt has the number of its run
	done, err := first.MarkDispatched(t.Context(), []dispatcher.Mark{{
		From: job.Planned, JobVersion: j.Version, CheckAt: taken.Add(time.Minute),
		Attempt: job.Attempt{ID: open, RunID: ids[1], JobID: j.ID, Number: 1, Address: "http://10.0.0.1:9999", State: job.Dispatched, TriggeredAt: taken},
	}})
	if err != nil || !done[0] {
		t.Fatalf("%v, %v", done, err)
	}
	found, err := Copy(t.Context(), path, copied)
	if err != nil || found.Jobs != 1 || found.Runs != 2 || found.Open != 2 || found.Schema == 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	if next[0], err = first.NextRunID(t.Context()); err == nil { // what the lost server gives after the copy
		next[1], err = first.NextAttemptID(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}

	s = mustOpen(t, copied, Config{})
	start(t, s)
	report, err = backup.Settle(t.Context(), backup.Config{
		Numbers: s, Slots: s, Open: s, Beside: s, Missed: missed, Taken: taken, Now: taken.Add(gone),
		CancelWorkflow: func(_ context.Context, id int64, _ string) error {
			t.Errorf("there is no workflow run %d", id)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, report, next, open
}

// With skip each slot of the time is left out with a reason, what waited has ended, and
// what an executor has stays open. The next firing is behind now.
func TestSettleSkip(t *testing.T) {
	t.Parallel()
	s, report, _, open := settled(t, backup.MissedSkip, 10*time.Minute+30*time.Second)
	if report.LateJobs != 1 || report.Slots != 10 || report.Waited != 1 || report.Asked != 1 || report.Attempts[0].Attempt != open {
		t.Errorf("%+v", report)
	}
	runs, err := s.Runs(t.Context(), jobrows.RunFilter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	count := map[job.State]int{}
	for _, r := range runs {
		count[r.State]++
		if r.State != job.Dispatched && !strings.Contains(r.Reason, "it is not known whether") {
			t.Errorf("run %d is %s: %s", r.ID, r.State, r.Reason)
		}
	}
	if count[job.Skipped] != 10 || count[job.Cancelled] != 1 || count[job.Dispatched] != 1 {
		t.Errorf("%v", count)
	}
	if due, err := s.DueJobs(t.Context(), planner.Cursor{}, report.Restored, 10); err != nil || len(due) != 0 {
		t.Errorf("still due: %+v, %v", due, err)
	}
	if due, err := s.DueJobs(t.Context(), planner.Cursor{}, report.Restored.Add(time.Minute), 10); err != nil || len(due) != 1 || !due[0].Next.Equal(report.Taken.Add(11*time.Minute)) {
		t.Errorf("afterwards: %+v, %v", due, err)
	}
}

// With policy the planner finds everything as after a time without a server.
func TestSettlePolicy(t *testing.T) {
	t.Parallel()
	s, report, _, _ := settled(t, backup.MissedPolicy, 10*time.Minute+30*time.Second)
	if report.Slots != 10 || report.Jobs[0].Policy != schedule.MisfireFireAll || report.Waited != 1 {
		t.Errorf("%+v", report)
	}
	if due, err := s.DueJobs(t.Context(), planner.Cursor{}, report.Restored, 10); err != nil || len(due) != 1 || !due[0].Next.Equal(report.Taken.Add(time.Minute)) {
		t.Errorf("due: %+v, %v", due, err)
	}
	if waiting, err := s.WaitingRuns(t.Context(), report.Restored, 10); err != nil || len(waiting) != 1 {
		t.Errorf("waiting: %v, %v", waiting, err)
	}
}

// No number that the lost server can have given comes again.
func TestSettleNumbers(t *testing.T) {
	t.Parallel()
	s, report, lost, _ := settled(t, backup.MissedSkip, time.Hour)
	run, err := s.NextRunID(t.Context())
	if err != nil || run < lost[0]+backup.MinJump-2*1000 || run < report.NumbersFrom {
		t.Errorf("run %d, the lost server gave %d: %v", run, lost[0], err)
	}
	attempt, err := s.NextAttemptID(t.Context())
	if err != nil || attempt < lost[1]+backup.MinJump-2*1000 || attempt < report.NumbersFrom {
		t.Errorf("attempt %d, the lost server gave %d: %v", attempt, lost[1], err)
	}
}

func TestGiven(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, file(t), Config{})
	start(t, s)
	j, err := s.CreateJob(t.Context(), job.Job{Namespace: job.DefaultNamespace, Key: "a", Group: "g"})
	if err != nil {
		t.Fatal(err)
	}
	taken := time.UnixMilli(1_900_000_000_000)
	for i := range 60 { // one a minute, the last one a minute before the copy
		id, err := s.NextRunID(t.Context())
		if err == nil {
			at := taken.Add(time.Duration(i-60) * time.Minute)
			err = s.AddRun(t.Context(), job.Run{ID: id, JobID: j.ID, Cause: job.CauseManual, CauseID: id, State: job.Skipped, PlannedAt: at, CreatedAt: at, EndedAt: at})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		span, over time.Duration
		count      int64 // a block is given as a whole
	}{{10 * time.Minute, 10 * time.Minute, 1001 - 51}, {5 * time.Hour, time.Hour, 1000}, {time.Second, 0, 0}} {
		given, err := s.Given(t.Context(), taken, c.span)
		if err != nil || given.Count != c.count || given.Over != c.over || given.Next != 1001 {
			t.Errorf("%s: %+v, %v", c.span, given, err)
		}
	}
}

func TestCopyRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	to := filepath.Join(dir, "copy.db")
	if _, err := Copy(t.Context(), filepath.Join(dir, "none.db"), to); !job.Is(err, job.NotFound) {
		t.Errorf("%v, want it job.NotFound", err)
	}
	other := filepath.Join(dir, "other.db")
	if err := os.WriteFile(other, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Copy(t.Context(), other, to); !job.Is(err, job.Invalid) {
		t.Errorf("%v, want it job.Invalid", err)
	}
	path := file(t)
	s := mustOpen(t, path, Config{})
	start(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Copy(ctx, path, to); err == nil {
		t.Error("a copy that was given up is one")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "copy*")); err != nil || len(left) > 0 {
		t.Errorf("there is a half copy: %v, %v", left, err)
	}
	if _, err := Copy(t.Context(), path, to); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := Copy(t.Context(), path, to); !job.Is(err, job.Conflict) {
		t.Errorf("%v, want it job.Conflict", err)
	}
	if found, err := Check(t.Context(), to); err != nil || found.Damage != "" {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := Hold(path); !job.Is(err, job.Conflict) {
		t.Errorf("a database in use can be held: %v", err)
	}
	if names := filesOf(t, dir); !slices.Equal(names, []string{"copy.db", "other.db"}) {
		t.Errorf("there is %v", names)
	}
}

func filesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
