package completer

import (
	"fmt"
	"time"

	"github.com/orthd/orth/job"
)

// decide says what follows from an outcome. It is pure: the same snapshot,
// outcome, instant and random number give the same completion.
//
// A success starts the children. A failure, a timeout or a loss is tried again
// as the retry policy says; attempts that no executor took do not count. A
// cancelled or skipped run ends.
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
		delay, again := s.Retry.Delay(s.Run.Tries-s.Run.Undelivered, random)
		if !again {
			if s.Retry.Tries > 0 {
				c.Reason = fmt.Sprintf("gave up after %d retries", s.Retry.Tries)
			}
			break
		}
		c.RunState, c.RetryAt = job.WaitingRetry, now.Add(delay)
		c.Reason = fmt.Sprintf("attempt %d %s; retry %d of %d follows in %s", s.Attempt.Number, c.Outcome,
			s.Run.Tries-s.Run.Undelivered, s.Retry.Tries, delay.Round(time.Millisecond))
	default: // nothing follows
	}
	return c
}

// children makes the runs that a success starts: one per child job and parent
// run, whatever happens, because the parent run is part of their key.
func children(s Snapshot, now time.Time) []job.Run {
	runs := make([]job.Run, 0, len(s.Children))
	for _, child := range s.Children {
		if child.JobID == s.Run.JobID {
			continue
		}
		runs = append(runs, job.Run{
			JobID: child.JobID, JobVersion: child.Version, GroupID: child.GroupID,
			PlannedAt: now.Truncate(time.Millisecond), Cause: job.CauseParent, CauseID: s.Run.ID,
			State: job.Planned, Reason: fmt.Sprintf("run %d succeeded", s.Run.ID),
			ReadyAt: now.Truncate(time.Millisecond), CreatedAt: now,
		})
	}
	return runs
}
