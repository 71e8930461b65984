package completer

import (
	"fmt"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// decide says what follows from an outcome. It is pure: the same snapshot,
// outcome, instant and random number give the same completion.
//
// A success starts the children. A failure, a timeout or a loss is tried again
// as the retry policy and the class of the failure say; attempts that no
// executor took do not count. A cancelled or skipped run ends. The end of a run,
// whatever it is, may set the job's next firing, and too many failures in a row
// stop the job.
func decide(s Snapshot, o job.Outcome, now time.Time, random float64) Completion {
	c := Completion{
		AttemptID: s.Attempt.ID, RunID: s.Run.ID, Outcome: o.State, RunState: o.State,
		Message: job.Clean(o.Message, job.MaxMessage), EndedAt: now,
	}
	if !o.State.Final() {
		c.Outcome, c.RunState = job.Failed, job.Failed
		c.Message = fmt.Sprintf("the executor reported the state %q, which is not an end", o.State)
	}
	if s.Deleted {
		return c
	}
	switch c.Outcome {
	case job.Succeeded:
		c.Children = children(s, now)
	case job.Failed, job.TimedOut, job.Lost:
		again(&c, &s, &o, now, random)
	default: // nothing follows
	}
	if c.RunState.Final() {
		tally(&c, &s)
		c.NextAt = nextAt(&c, &s)
	}
	return c
}

// tally counts failed runs in a row for a job that stops after some of them.
// Runs that were cancelled or skipped neither fail nor succeed.
func tally(c *Completion, s *Snapshot) {
	if s.StopAfter <= 0 {
		return
	}
	var ended string
	switch c.RunState {
	case job.Succeeded:
		c.Failures = StreakBroken
		return
	case job.Failed:
		ended = "failed"
	case job.TimedOut:
		ended = "timed out"
	case job.Lost:
		ended = "was lost"
	default:
		return
	}
	c.Failures = StreakGrows
	switch n := s.Failures + 1; {
	case n < s.StopAfter:
	case n == 1:
		c.StopReason = fmt.Sprintf("stopped after a failed run: run %d %s", s.Run.ID, ended)
	default:
		c.StopReason = fmt.Sprintf("stopped after %d failed runs in a row; the last one: run %d %s", n, s.Run.ID, ended)
	}
}

// nextAt returns the next firing of a job that fires a while after the end of a
// run of its schedule; zero when this run sets none. Runs of other causes come
// beside the schedule and do not move it.
func nextAt(c *Completion, s *Snapshot) time.Time {
	ofSchedule := s.Run.Cause == job.CauseSchedule || s.Run.Cause == job.CauseMisfire
	if s.After <= 0 || !ofSchedule || c.StopReason != "" {
		return time.Time{}
	}
	return c.EndedAt.Truncate(time.Millisecond).Add(s.After)
}

// again decides on the next try. A permanent failure has none. The others have
// as many as the policy says, whatever their class: a handler that is never
// ready must end too. A wait that the handler asked for stretches the policy's
// delay and never shortens it, and the retry after a shortage keeps away from
// the executor that had it. A class that is not known is transient.
func again(c *Completion, s *Snapshot, o *job.Outcome, now time.Time, random float64) {
	if o.Class == retry.ClassPermanent {
		c.Reason = "not tried again: the handler said that no further try can succeed"
		return
	}
	number := s.Run.Tries - s.Run.Undelivered
	delay, more := s.Retry.Delay(number, random)
	if !more {
		c.Reason = lastWord(s.Retry.Tries, o)
		return
	}
	asked := ""
	if wait := min(o.RetryAfter, retry.MaxDelayCap); wait > delay {
		delay, asked = wait, ", as the handler asked"
	}
	became, where := string(c.Outcome), ""
	switch o.Class {
	case retry.ClassNotReady:
		became = "was not ready"
	case retry.ClassResource:
		c.Avoid, where = s.Attempt.Address, ", on another executor when one is alive"
	case retry.ClassTransient, retry.ClassPermanent:
	}
	c.RunState, c.RetryAt = job.WaitingRetry, now.Add(delay)
	c.Reason = fmt.Sprintf("attempt %d %s; retry %d of %d follows in %s%s%s", s.Attempt.Number, became,
		number, s.Retry.Tries, delay.Round(time.Millisecond), asked, where)
}

// lastWord says why there is no further try; nothing when none was expected.
func lastWord(tries int, o *job.Outcome) string {
	switch {
	case tries > 0:
		return fmt.Sprintf("gave up after %d retries", tries)
	case o.Class == retry.ClassNotReady:
		return "not tried again although the handler was only not ready: the job allows no retries"
	}
	return ""
}

// children makes the runs that a success starts: one per child job and parent
// run, whatever happens, because the parent run is part of their key. They serve
// the slot that the parent serves, and none when it serves none.
func children(s Snapshot, now time.Time) []job.Run {
	runs := make([]job.Run, 0, len(s.Children))
	at := now.Truncate(time.Millisecond)
	for _, child := range s.Children {
		if child.JobID == s.Run.JobID {
			continue
		}
		runs = append(runs, job.Run{
			JobID: child.JobID, JobVersion: child.Version, GroupID: child.GroupID,
			PlannedAt: s.Run.PlannedAt, Cause: job.CauseParent, CauseID: s.Run.ID,
			State: job.Planned, Reason: fmt.Sprintf("run %d succeeded", s.Run.ID),
			ReadyAt: at, DueAt: at, CreatedAt: now,
		})
	}
	return runs
}
