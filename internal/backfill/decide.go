package backfill

import (
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// claimedBackfill is a claimed backfill and its next slots: everything that a step depends on.
type claimedBackfill struct {
	Work
	// refusal is why the job's schedule cannot be followed and what to do; empty when it
	// can.
	refusal string
	// slots are the next ones after the cursor, the oldest first, at most as many as the
	// backfill may still take. end means that none follows them.
	slots []slot
	end   bool
}

// slot is an instant for a run.
type slot struct {
	at   time.Time
	done bool // a run has succeeded for it, and it is skipped
}

// limits are how soon a backfill with active runs is checked again when no end of a run is
// announced.
type limits struct {
	poll    time.Duration // at the soonest
	longest time.Duration // and at the latest, however long it has waited
}

// decide returns the next step of a backfill: it counts the runs that have ended, creates
// runs for the next slots within Parallel and Spacing, and sets the time of the next check.
// It is pure. The caller draws the ids of the runs and adds them to Open.
func decide(v claimedBackfill, now time.Time, l limits) Step {
	now = now.UTC().Truncate(time.Millisecond)
	step := Step{Backfill: settle(v.Work), Number: v.Step}
	b := &step.Backfill
	if b.StartedAt.After(now) { // the clock was set back
		b.StartedAt = now
	}
	switch {
	case v.Deleted:
		endBackfill(b, job.BackfillCancelled, "the job was deleted", now)
		return step
	case v.refusal != "":
		endBackfill(b, job.BackfillCancelled, v.refusal, now)
		return step
	}
	more := v.createRuns(&step, now)
	if !more && len(b.Open)+len(step.Runs) == 0 {
		endBackfill(b, job.BackfillFinished, shortfall(b), now)
		return step
	}
	step.Look = nextCheck(&step, more, now, l)
	return step
}

// settle returns the backfill with the runs counted that have ended.
func settle(w Work) job.Backfill {
	b := w.Backfill
	b.Open = make([]int64, 0, len(w.Backfill.Open))
	for _, run := range w.Backfill.Open {
		switch state, ended := w.Ended[run]; {
		case !ended:
			b.Open = append(b.Open, run)
		case state == job.Succeeded:
			b.Succeeded++
		default:
			b.Failed++
		}
	}
	return b
}

// createRuns creates runs for the slots in their order, skips those that are done, and reports
// whether the backfill has slots left.
func (v *claimedBackfill) createRuns(step *Step, now time.Time) (more bool) {
	b := &step.Backfill
	startable, start := runsPerStep(b), nextStart(b, now)
	for _, s := range v.slots {
		switch {
		case s.done:
			b.Skipped++
		case startable == 0 || start.After(now):
			return true
		default:
			startable--
			step.Runs = append(step.Runs, v.newRun(s.at, start, now))
			b.Made++
			b.StartedAt = start
		}
		b.Cursor = s.at
	}
	return !v.end
}

func (v *claimedBackfill) newRun(slot, start, now time.Time) job.Run {
	return job.Run{
		JobID: v.Backfill.JobID, JobVersion: v.Job.Version, GroupID: v.Job.GroupID,
		PlannedAt: slot, Cause: job.CauseBackfill, CauseID: v.Backfill.ID,
		State: job.Planned, Reason: fmt.Sprintf("backfill %d", v.Backfill.ID),
		ReadyAt: start, DueAt: start, Param: v.Backfill.Param, CreatedAt: now,
	}
}

// roomFor returns how many more runs of the backfill may be active.
func roomFor(b *job.Backfill) int { return max(b.Parallel, 1) - len(b.Open) }

// runsPerStep returns how many runs one step may create.
func runsPerStep(b *job.Backfill) int {
	if b.Spacing > 0 {
		return min(max(roomFor(b), 0), 1)
	}
	return max(roomFor(b), 0)
}

// nextStart returns when the next run may start.
func nextStart(b *job.Backfill, now time.Time) time.Time {
	if b.Spacing > 0 && !b.StartedAt.IsZero() {
		if start := b.StartedAt.Add(b.Spacing); start.After(now) {
			return start
		}
	}
	return now
}

// nextCheck returns when the backfill is checked again: as soon as a run may start. While runs
// are active the delay grows with their duration, because most ends are announced.
func nextCheck(step *Step, more bool, now time.Time, l limits) time.Time {
	b := &step.Backfill
	open := len(b.Open) + len(step.Runs)
	wait := now.Add(min(max(now.Sub(b.StartedAt)/4, l.poll), l.longest))
	if !more || open >= max(b.Parallel, 1) {
		return wait
	}
	start := nextStart(b, now)
	if open > 0 && wait.Before(start) {
		return wait
	}
	return start
}

// endBackfill ends the backfill. Active runs continue and are not counted any more.
func endBackfill(b *job.Backfill, state job.BackfillState, reason string, now time.Time) {
	b.State, b.Reason, b.EndedAt = state, reason, now
}

// shortfall explains why a backfill had fewer slots than were counted; empty when it had
// them all.
func shortfall(b *job.Backfill) string {
	if taken := b.Made + b.Skipped; taken < b.Slots {
		return fmt.Sprintf("there %s %s instead of %d: the job's schedule was changed after the backfill was made",
			plural.Verb(taken, "was", "were"), plural.Count(taken, "slot"), b.Slots)
	}
	return ""
}
