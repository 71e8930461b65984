package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// honest returns three lists that agree: of a job with three slots, of which the
// second took two attempts because of a crash and the third failed as it was made
// to, and of its child.
func honest() *trial {
	const here, there = "http://10.0.0.1:9999", "http://10.0.0.2:9999"
	from := time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)
	slots := []time.Time{from, from.Add(time.Second), from.Add(2 * time.Second)}
	tr := &trial{kills: 1, duties: []duty{
		{
			key: "tick", slots: slots, ends: []job.State{job.Succeeded, job.Failed},
			children: map[string]job.ChildOn{"child": job.ChildOnSuccess},
		},
		{key: "child", ends: []job.State{job.Succeeded}, runs: []api.ID{14}},
	}}
	run := func(id api.ID, key string, jobID int64, at time.Time, cause job.Cause, by api.ID, attempts ...api.Attempt) {
		last, undelivered := &attempts[len(attempts)-1], 0
		for i := range attempts {
			a := &attempts[i]
			if a.Message == "it cannot be reached" {
				undelivered++
			}
			a.RunID, a.JobID, a.Number = id, jobID, i+1
		}
		tr.runs = append(tr.runs, record{
			run: api.Run{
				ID: id, JobKey: key, JobID: jobID, PlannedAt: api.At(at), Cause: cause, CauseID: by, State: last.State, Final: true,
				Tries: len(attempts), Undelivered: undelivered, AttemptID: last.ID,
			},
			attempts: attempts,
		})
	}
	run(11, "tick", 1, slots[0], job.CauseSchedule, 0, api.Attempt{ID: 21, State: job.Succeeded, Address: here + "/"})
	run(12, "tick", 1, slots[1], job.CauseMisfire, 0,
		api.Attempt{ID: 22, State: job.Failed, Address: here, Message: cutOff},
		api.Attempt{ID: 23, State: job.Failed, Address: here, Message: "it cannot be reached"},
		api.Attempt{ID: 24, State: job.Succeeded, Address: there})
	run(13, "tick", 1, slots[2], job.CauseSchedule, 0, api.Attempt{ID: 25, State: job.Failed, Address: there, Message: madeToFail})
	run(14, "child", 2, slots[0], job.CauseParent, 11, api.Attempt{ID: 26, State: job.Succeeded, Address: here})
	run(15, "child", 2, slots[1], job.CauseParent, 12, api.Attempt{ID: 27, State: job.Succeeded, Address: here})
	ran := func(attempt, run, jobID int64, at time.Time, worker string, ends ...bool) {
		tr.journal = append(tr.journal, entry{"S", attempt, run, jobID, at.UnixMilli(), true, worker})
		for _, well := range ends {
			tr.journal = append(tr.journal, entry{"E", attempt, run, jobID, at.UnixMilli(), well, worker})
		}
	}
	ran(21, 11, 1, slots[0], here, true)
	ran(22, 12, 1, slots[1], here)
	ran(24, 12, 1, slots[1], there, true)
	ran(25, 13, 1, slots[2], there, false)
	ran(26, 14, 2, slots[0], here, true)
	ran(27, 15, 2, slots[1], here, true)
	tr.stats = api.Figures{Runs: 5, Succeeded: 4, Failed: 1, Attempts: 6}
	return tr
}

// TestDoctoredLists shows the judge lists of which each hides one fault.
func TestDoctoredLists(t *testing.T) {
	t.Parallel()
	if faults := honest().faults(); len(faults) > 0 {
		t.Fatalf("honest lists have the faults %q", faults)
	}
	const (
		first = iota // the runs
		second
		third
		child
		orphan
	)
	for _, c := range []struct {
		name   string
		doctor func(tr *trial)
		want   string // in one of the faults
	}{
		{"lost slot", func(tr *trial) { tr.runs = slices.Delete(tr.runs, third, third+1) }, "the slot 2030-01-31 08:00:02 +0000 UTC is lost"},
		{"no run at all", func(tr *trial) { tr.runs = nil }, "is lost"},
		{"doubled slot", func(tr *trial) { tr.runs[third].run.PlannedAt = tr.runs[second].run.PlannedAt }, "is doubled"},
		{"a firing for nothing", func(tr *trial) {
			tr.runs[first].run.PlannedAt.Time = tr.runs[first].run.PlannedAt.Add(time.Millisecond)
		}, "is no slot"},
		{"slot let go", func(tr *trial) {
			tr.duties[0].ends = append(tr.duties[0].ends, job.Skipped)
			r := &tr.runs[third]
			r.run.State, r.run.Tries, r.run.AttemptID, r.attempts = job.Skipped, 0, 0, nil
		}, "was let go"},
		{"slot let go for a run that is not there", func(tr *trial) {
			tr.duties[0].yields, tr.duties[0].ends = true, append(tr.duties[0].ends, job.Skipped)
			r := &tr.runs[third]
			r.run.State, r.run.Tries, r.run.AttemptID, r.attempts = job.Skipped, 0, 0, nil
			r.run.Reason = "covered by run 14"
		}, "was let go"},
		{"broken promise", func(tr *trial) { tr.duties[1].runs = append(tr.duties[1].runs, 99) }, "run 99 was promised"},
		{"run of an unknown job", func(tr *trial) { tr.runs[child].run.JobKey = "ghost" }, `of the job "ghost"`},
		{"run listed twice", func(tr *trial) { tr.runs = append(tr.runs, tr.runs[first]) }, "run 11 is listed twice"},
		{"run that is not over", func(tr *trial) { tr.runs[first].run.State, tr.runs[first].run.Final = job.Running, false }, "is still running"},
		{"end that may not be", func(tr *trial) { tr.runs[child].run.State = job.Cancelled }, "ended as cancelled"},
		{"lost outcome", func(tr *trial) { tr.runs[first].attempts[0].State = job.Running }, "attempt 21 of run 11 at http://10.0.0.1:9999/ is still running"},
		{"lost end", func(tr *trial) { tr.runs[first].attempts[0].State = job.Lost }, "is recorded as lost"},
		{"outcome of another try", func(tr *trial) { tr.runs[second].attempts[1].State = job.Succeeded }, "another followed"},
		{"attempt that is not there", func(tr *trial) { tr.runs[second].attempts = tr.runs[second].attempts[:2] }, "took 3 attempts and has 2"},
		{"attempt out of order", func(tr *trial) { tr.runs[second].attempts[1].Number = 3 }, "is number 3"},
		{"attempt of two runs", func(tr *trial) { tr.runs[child].attempts[0].ID = 21 }, "belongs to two runs"},
		{"doubled start", func(tr *trial) { tr.journal = append(tr.journal, tr.journal[2]) }, "started 2 times"},
		{"doubled run to the end", func(tr *trial) { tr.journal = append(tr.journal, tr.journal[:2]...) }, "the handler succeeded 2 times"},
		{"doubled start of what may run again", func(tr *trial) {
			tr.duties[0].rerun = true
			tr.journal = append(tr.journal, tr.journal[1])
		}, "ended more often than it began"},
		{"success without a run", func(tr *trial) { tr.journal = tr.journal[2:] }, "attempt 21 of run 11 at http://10.0.0.1:9999/ is recorded as succeeded"},
		{"success without an end", func(tr *trial) { tr.journal = slices.Delete(tr.journal, 1, 2) }, "is recorded as succeeded"},
		{"success of a handler that failed", func(tr *trial) { tr.journal[1].well = false }, "is recorded as succeeded"},
		{"failure of a handler that succeeded", func(tr *trial) { tr.journal[6].well = true }, "and the handler did not fail"},
		{"unknown attempt", func(tr *trial) { tr.journal[0].attempt = 99 }, "attempt 99 of run 11 ran at"},
		{"attempt for another run", func(tr *trial) { tr.journal[0].run = 12 }, "attempt 21 ran for run 12"},
		{"attempt for another slot", func(tr *trial) { tr.journal[0].planned++ }, "attempt 21 ran for run 11"},
		{"attempt at another executor", func(tr *trial) { tr.journal[0].worker = "http://10.0.0.2:9999" }, "attempt 21 ran for run 11"},
		{"start of what nobody took", func(tr *trial) {
			tr.journal = append(tr.journal, entry{"S", 23, 12, 1, tr.journal[2].planned, true, tr.journal[2].worker})
		}, "is recorded as failed (it cannot be reached), and started"},
		{"crash without a kill", func(tr *trial) { tr.kills = 0 }, "1 attempts were interrupted by 0 kills"},
		{"child that was not started", func(tr *trial) { tr.runs = slices.Delete(tr.runs, child, child+1) }, "started 0 runs of child, want 1"},
		{"doubled child", func(tr *trial) { tr.runs[orphan].run.CauseID = 11 }, "started 2 runs of child, want 1"},
		{"child of the wrong end", func(tr *trial) { tr.runs[orphan].run.CauseID = 13 }, "run 13 ended as failed and started 1 runs of child, want 0"},
		{"child of nobody", func(tr *trial) { tr.runs[orphan].run.CauseID = 99 }, "was started by run 99"},
		{"end not counted", func(tr *trial) { tr.stats.Failed-- }, "1 runs are failed and 0 were counted"},
		{"run counted twice", func(tr *trial) { tr.stats.Runs++ }, "5 runs and 6 were counted"},
		{"attempt counted twice", func(tr *trial) { tr.stats.Attempts++ }, "6 attempts and 7 were counted"},
	} {
		tr := honest()
		c.doctor(tr)
		faults := tr.faults()
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, c.want) }) {
			t.Errorf("%s: the judge finds %q, want a fault with %q", c.name, faults, c.want)
		}
	}
}

// TestOracle looks at days that a person can tell.
func TestOracle(t *testing.T) {
	t.Parallel()
	from := time.Date(2030, 1, 31, 15, 59, 50, 0, time.UTC) // ten seconds to midnight in Shanghai
	to := from.Add(20 * time.Second)
	want := map[string]int{
		"* * * * * ?": 20, "0/2 * * * * ?": 10, "*/3 * * * * ?": 7, "2-59/5 * * * * ?": 4, "0-29 * * * * ?": 10, "30-59 * * * * ?": 10,
		"5,10,17,23,31,44,58 * * * * ?": 2, "* 0/2 * * * ?": 10, "* 1/2 * * * ?": 10, "* * 0-11 * * ?": 10, "* * 12-23 * * ?": 10,
		"* * * * *": 1,
	}
	for _, r := range append(rhythms(), rhythm{every: 300 * time.Millisecond}) {
		n, known := want[r.cron]
		switch {
		case r.every > 0:
			n = 67
		case !known:
			continue
		}
		if got := len(r.slots(from, to)); got != n {
			t.Errorf("%s is due %d times in twenty seconds, want %d", &r, got, n)
		}
	}
}
