package waiting

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// Reply is the result of a marked item.
type Reply struct {
	Item *HeldRun
	Err  error // nil: accepted
}

// Answers of this server for runs that certainly were not sent.
var (
	ErrStopped = errors.New("this server stopped before the task was sent")
	ErrStale   = errors.New("the executor does not keep up: the task waited too long for its turn and was not sent")
)

// ShutError is the answer of this server for a task that it did not send because the
// executor's circuit breaker is open.
type ShutError struct{ Status breaker.Status }

// Error returns until when the breaker is open, and why.
func (e *ShutError) Error() string { return LeftAlone(e.Status, 1) }

// LeftAlone is the reason why an executor is not called.
func LeftAlone(s breaker.Status, of int) string {
	text := fmt.Sprintf("executor %s is left alone", s.Address)
	if of > 1 {
		text = fmt.Sprintf("all %d executors are left alone, %s too,", of, s.Address)
	}
	until := s.Until.UTC().Format(time.RFC3339)
	if s.State == breaker.HalfOpen {
		until = "a call that is under way has ended"
	}
	return fmt.Sprintf("%s until %s: %s in a row %s failed, the last one: %s",
		text, until, plural.Count(s.Failures, "call"), plural.Verb(s.Failures, "has", "have"), s.Reason)
}

// UnresolvedError is the answer of this server for a task that it did not send because of a
// reference in it.
type UnresolvedError struct{ Err error }

// Error returns why.
func (e *UnresolvedError) Error() string { return "the task was not sent: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnresolvedError) Unwrap() error { return e.Err }

// final reports whether a retry soon cannot help.
func (e *UnresolvedError) final() bool { return job.Is(e.Err, job.Invalid) }

// Verdict is the meaning of an answer.
type Verdict int

// The verdicts.
const (
	Taken        Verdict = iota
	Refused              // the executor rejected it: the retry policy decides
	NotDelivered         // it certainly did not arrive: send again later
	TakenBack            // the same, and it does not count as a try: no executor was called, or a living one had no room
	Unknown              // the result is unknown: query before anything else
)

// Judge returns the meaning of an answer and, when the task is to be sent again, the delay.
// A task that reached no executor is sent again as often as the policy allows; then that is
// its outcome. A task that this server did not send, or that a living executor had no room
// for, waits until there is room, however long that takes.
func Judge(a Reply, undelivered retry.Policy, now time.Time) (Verdict, time.Duration) {
	run := &a.Item.Run
	switch {
	case a.Err == nil, job.Is(a.Err, job.Duplicate):
		return Taken, 0
	case errors.Is(a.Err, ErrStopped):
		return TakenBack, 0
	case errors.Is(a.Err, ErrStale), job.Is(a.Err, job.Full):
		return TakenBack, Patience(a.Item.Waited(now), StuckAgain)
	}
	if unresolved, ok := errors.AsType[*UnresolvedError](a.Err); ok {
		if unresolved.final() {
			return Refused, 0
		}
		return TakenBack, Patience(a.Item.Waited(now), StuckAgain)
	}
	if shut, ok := errors.AsType[*ShutError](a.Err); ok {
		return TakenBack, max(shut.Status.Until.Sub(now), TrialAgain)
	}
	switch job.KindOf(a.Err) {
	case job.Unreachable:
		delay, again := undelivered.Delay(run.Undelivered+1, rand.Float64())
		if !again {
			return Refused, 0
		}
		return NotDelivered, delay
	case job.Refused, job.Invalid, job.Unauthorized, job.Forbidden, job.NotFound:
		return Refused, 0
	default:
		return Unknown, 0
	}
}

// ReasonOf describes why the item was not taken, and by which executor.
func ReasonOf(a Reply) string {
	text := a.Err.Error()
	if _, ours := errors.AsType[*UnresolvedError](a.Err); ours {
		return text // no executor was involved
	}
	if a.Item.Note != "" {
		text = a.Item.Note + "; " + text
	}
	return fmt.Sprintf("%s (executor %s)", text, a.Item.Attempt.Address)
}

// EndOf returns the final state of a rejected attempt.
func EndOf(err error) job.State {
	if errors.Is(err, job.ErrDiscarded) {
		return job.Skipped
	}
	return job.Failed
}
