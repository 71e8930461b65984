package dispatcher

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// verdict is the meaning of an answer.
type verdict int

const (
	taken        verdict = iota
	refused              // the executor rejected it: the retry policy decides
	notDelivered         // it certainly did not arrive: send again later
	takenBack            // the same, and it does not count as a try: no executor was called, or a living one had no room
	unknown              // the result is unknown: query before anything else
)

// judge returns the meaning of an answer and, when the task is to be sent again, the delay.
// A task that reached no executor is sent again as often as the policy allows; then that is
// its outcome. A task that this server did not send, or that a living executor had no room
// for, waits until there is room, however long that takes.
func judge(a settled, undelivered retry.Policy, now time.Time) (verdict, time.Duration) {
	run := &a.item.run
	switch {
	case a.err == nil, job.Is(a.err, job.Duplicate):
		return taken, 0
	case errors.Is(a.err, errStopped):
		return takenBack, 0
	case errors.Is(a.err, errStale), job.Is(a.err, job.Full):
		return takenBack, patience(a.item.waited(now), stuckAgain)
	}
	if unresolved, ok := errors.AsType[*unresolvedError](a.err); ok {
		if unresolved.final() {
			return refused, 0
		}
		return takenBack, patience(a.item.waited(now), stuckAgain)
	}
	if shut, ok := errors.AsType[*shutError](a.err); ok {
		return takenBack, max(shut.status.Until.Sub(now), trialAgain)
	}
	switch job.KindOf(a.err) {
	case job.Unreachable:
		delay, again := undelivered.Delay(run.Undelivered+1, rand.Float64())
		if !again {
			return refused, 0
		}
		return notDelivered, delay
	case job.Refused, job.Invalid, job.Unauthorized, job.Forbidden, job.NotFound:
		return refused, 0
	default:
		return unknown, 0
	}
}

// reason describes why the item was not taken, and by which executor.
func reason(a settled) string {
	text := a.err.Error()
	if _, ours := errors.AsType[*unresolvedError](a.err); ours {
		return text // no executor was involved
	}
	if a.item.note != "" {
		text = a.item.note + "; " + text
	}
	return fmt.Sprintf("%s (executor %s)", text, a.item.attempt.Address)
}

// endOf returns the final state of a rejected attempt.
func endOf(err error) job.State {
	if errors.Is(err, job.ErrDiscarded) {
		return job.Skipped
	}
	return job.Failed
}
