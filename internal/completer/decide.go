package completer

import (
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// decide returns the consequences of an outcome. It is pure: the same snapshot, outcome,
// instant and random number give the same completion.
//
// A failure, a timeout or a loss is retried according to the retry policy and the class of
// the failure, unless the outcome is marked as the last. Attempts that no executor took do
// not count. A cancelled or skipped run ends, and so does one that a user stops, whatever
// its attempt reports. The end of a run starts the children that wait for such an end, and
// may set the job's next firing. Too many failures in a row stop the job. The end of a
// shard, or of a trial, does none of this, and a split run is not retried: its shards were.
func decide(s Snapshot, o job.Outcome, now time.Time, random float64) Completion {
	c := become(s, o, now, random)
	if s.Run.State != job.Stopping { // the user gave its reason
		c.speechless(&s)
	}
	return c
}

// speechless sets a reason for a run that ends badly without one: the reason that it has
// explains why it waited.
func (c *Completion) speechless(s *Snapshot) {
	if c.RunState.Final() && c.RunState != job.Succeeded && c.Message == "" && c.Reason == "" {
		c.Reason = fmt.Sprintf("attempt %d ended without a message", s.Attempt.Number)
	}
}

// become applies an outcome to its run.
func become(s Snapshot, o job.Outcome, now time.Time, random float64) Completion {
	state, message := endAndMessage(&o)
	c := Completion{
		AttemptID: s.Attempt.ID, RunID: s.Run.ID, Outcome: state, RunState: state,
		Waiting: s.Attempt.State.Final(),
		Message: cutMessage(message, s.Run.ID), EndedAt: now,
	}
	c.broadcast(&s)
	switch {
	case o.Over != "":
		c.Reason = o.Over
	case state == job.Skipped:
		c.Reason = c.Message
	}
	if s.Run.State == job.Stopping {
		c.Stopped()
		state = c.RunState
	}
	if s.Deleted {
		return c
	}
	switch state {
	case job.Failed, job.TimedOut, job.Lost:
		if o.Over == "" && !c.Split && s.Run.Cause != job.CauseTrial {
			again(&c, &s, &o, now, random)
			c.elsewhere(&s)
		}
	default: // there is no other try
	}
	if c.RunState.Final() && c.ShardOf == 0 && s.Run.Cause != job.CauseTrial {
		c.Children = children(&s, &c)
		tally(&c, &s)
		c.NextAt = nextAt(&c, &s)
	}
	return c
}

// cutMessage cuts a message to the length that a run keeps; a cut message names where the rest may
// be.
func cutMessage(message string, run int64) string {
	return job.CleanTo(message, job.MaxMessage, fmt.Sprintf("… [cut: for the rest see the log, 'orth run log %d']", run))
}

// endAndMessage returns the state and the message of an outcome; a state that is not final is a
// failure.
func endAndMessage(o *job.Outcome) (job.State, string) {
	if !o.State.Final() {
		return job.Failed, fmt.Sprintf("the executor reported the state %q, which is not an end", o.State)
	}
	return o.State, o.Message
}

// endsRun reports whether the outcome ends a run whose attempt is already over: the run waits
// for another try, and the outcome rules that out.
func endsRun(s *Snapshot, o *job.Outcome) bool {
	return o.Over != "" && s.Run.AttemptID == s.Attempt.ID && s.Run.State.Waiting()
}

// tally counts failed runs in a row for a job that stops after some of them. Cancelled and
// skipped runs count neither as failures nor as successes.
func tally(c *Completion, s *Snapshot) {
	if s.StopAfter <= 0 {
		return
	}
	switch c.RunState {
	case job.Succeeded:
		c.Failures = StreakBroken
		return
	case job.Failed, job.TimedOut, job.Lost:
	default:
		return
	}
	ended := endOf(c.RunState)
	c.Failures = StreakGrows
	switch n := s.Failures + 1; {
	case n < s.StopAfter:
	case n == 1:
		c.StopReason = fmt.Sprintf("stopped after a failed run: run %d %s", s.Run.ID, ended)
	default:
		c.StopReason = fmt.Sprintf("stopped after %d failed runs in a row; the last one: run %d %s", n, s.Run.ID, ended)
	}
}

// endOf returns the end of a run as a phrase that follows its name.
func endOf(end job.State) string {
	switch end {
	case job.TimedOut:
		return "timed out"
	case job.Lost:
		return "was lost"
	default:
		return string(end)
	}
}

// nextAt returns the next firing of a job that fires a delay after the end of a run of its
// schedule; zero when this run sets none. Runs with other causes do not move the schedule.
func nextAt(c *Completion, s *Snapshot) time.Time {
	ofSchedule := s.Run.Cause == job.CauseSchedule || s.Run.Cause == job.CauseMisfire
	if s.After <= 0 || !ofSchedule || c.StopReason != "" {
		return time.Time{}
	}
	return c.EndedAt.Truncate(time.Millisecond).Add(s.After)
}

// again decides on the next try. A permanent failure has none. All other classes have the
// number of tries that the policy sets: a handler that is never ready must end too. A wait
// that the handler requests lengthens the policy's delay and never shortens it. The retry
// after a shortage avoids the executor that had it. An unknown class is transient.
func again(c *Completion, s *Snapshot, o *job.Outcome, now time.Time, random float64) {
	if o.Class == retry.ClassPermanent {
		c.Reason = "not tried again: the handler said that no further try can succeed"
		return
	}
	if s.Retry.Tries > 0 && !s.Retry.Covers(string(c.Outcome)) {
		c.Reason = "not tried again: the job retries only after " + kinds(s.Retry.On)
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

// lastWord explains why there is no further try; empty when none was expected.
func lastWord(tries int, o *job.Outcome) string {
	switch {
	case tries == 1:
		return "gave up after 1 retry"
	case tries > 0:
		return "gave up after " + plural.Count(tries, "retry")
	case o.Class == retry.ClassNotReady:
		return "not tried again although the handler was only not ready: the job allows no retries"
	}
	return ""
}

// kinds names the ends that a policy covers.
func kinds(on []string) string {
	words := make([]string, len(on))
	for i, end := range on {
		switch end {
		case retry.OnFailed:
			words[i] = "failures"
		case retry.OnTimedOut:
			words[i] = "timeouts"
		case retry.OnLost:
			words[i] = "losses"
		default:
			words[i] = end
		}
	}
	return strings.Join(words, " and ")
}
