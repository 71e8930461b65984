package upkeep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// recordError is an error of the recorder, as opposed to one of an executor.
type recordError struct{ err error }

func (e *recordError) Error() string { return e.err.Error() }
func (e *recordError) Unwrap() error { return e.err }

// recorded marks an error of the recorder.
func recorded(err error) error {
	if err == nil {
		return nil
	}
	return &recordError{err}
}

// unanswered checks one batch of attempts without an answer and reports whether there may
// be more.
func (u *Upkeep) unanswered(ctx context.Context) (more bool, err error) {
	open, err := u.config.Store.Unanswered(ctx, u.config.Now(), u.config.Batch)
	if err != nil {
		return false, fmt.Errorf("read unanswered attempts: %w", err)
	}
	full := len(open) >= u.config.Batch
	if open, err = u.claim(ctx, open); err != nil {
		return false, err
	}
	addresses := make([]string, len(open))
	for i, o := range open {
		addresses[i] = o.Attempt.Address
	}
	answers := byExecutor(addresses, func(i int) error { return u.resolve(ctx, open[i]) })
	if err := ctx.Err(); err != nil {
		return false, err
	}
	var later []int64
	unknown := make(map[string]error) // by address
	for i, a := range answers {
		if a.asked && a.err == nil {
			continue
		}
		later = append(later, open[i].Run.ID)
		switch _, ours := a.err.(*recordError); { //nolint:errorlint // It is never wrapped.
		case ours:
			err = a.err
		case a.err != nil && !errors.Is(a.err, errStopping) && !errors.Is(a.err, errMoved):
			unknown[addresses[i]] = a.err
		}
	}
	for address, cause := range unknown {
		u.config.Logger.Warn("unanswered attempts are still unknown", "address", address, "error", cause)
	}
	if len(later) > 0 {
		if err := u.config.Store.Postpone(ctx, later, u.config.Now().Add(u.config.Again)); err != nil {
			return false, fmt.Errorf("postpone %s: %w", plural.Count(len(later), "attempt"), err)
		}
	}
	return full, err
}

// claim claims attempts for this server and returns those that it got. Without a claim, the
// server that sent an attempt could put it back late, because it did not arrive, while this
// server sends it again.
func (u *Upkeep) claim(ctx context.Context, open []Open) ([]Open, error) {
	if len(open) == 0 {
		return nil, nil
	}
	taken, err := u.config.Store.ClaimUnanswered(ctx, open, u.config.Now().Add(u.config.Again))
	if err != nil {
		return nil, fmt.Errorf("claim %s: %w", plural.Count(len(open), "unanswered attempt"), err)
	}
	claimed := open[:0]
	for i := range open {
		if taken[i] {
			claimed = append(claimed, open[i])
		}
	}
	return claimed, nil
}

// resolve determines the fate of one attempt. An error means that it is still unknown, or
// that it could not be recorded.
func (u *Upkeep) resolve(ctx context.Context, o Open) error {
	if o.Run.State == job.Stopping {
		return errStopping
	}
	address := o.Attempt.Address
	task, why := u.taskOf(ctx, &o)
	if why != nil && !job.Is(why, job.Invalid) {
		return fmt.Errorf("build the task: %w", why)
	}
	once := u.config.Once(o.Job.Group, address)
	doubtful, since := u.config.Doubtful(address)
	strange := false // an executor with another data folder may have had what the process there does not have
	if once && since.After(o.Attempt.TriggeredAt) {
		at, over, err := u.sentToAnother(ctx, &o, doubtful)
		if over || err != nil {
			return err
		}
		strange = at == nowhere && u.config.Replaced(address, o.Attempt.TriggeredAt)
	}
	if why != nil || !once || strange {
		holds, err := u.holds(ctx, address, o.Attempt)
		if err != nil {
			return fmt.Errorf("ask the executor: %w", err)
		}
		if holds {
			return recorded(u.config.Recorder.Accepted(ctx, o.Attempt))
		}
		if strange {
			return recorded(u.config.Recorder.Complete(ctx, []job.Outcome{unknownAt(address, &o.Attempt)}))
		}
		if tried := u.nonsense.since(o.Attempt.ID); tried > u.config.GiveUp {
			return u.failed(ctx, o, job.Failed, fmt.Sprintf("the executor answered tasks with nothing that can be understood for %s, and does not have the attempt: "+
				"look into its own log", tried.Round(time.Second)))
		}
	}
	if why != nil {
		return u.failed(ctx, o, job.Failed, "the task was not sent: "+why.Error())
	}
	err := u.sendTask(ctx, address, task, once)
	switch job.KindOf(err) {
	case "", job.Duplicate:
		return recorded(u.config.Recorder.Accepted(ctx, o.Attempt))
	case job.Refused, job.Invalid, job.Unauthorized, job.Forbidden, job.NotFound:
		end := job.Failed
		if errors.Is(err, job.ErrDiscarded) {
			end = job.Skipped
		}
		return u.failed(ctx, o, end, err.Error())
	case job.Ambiguous:
		u.nonsense.noteOnset(o.Attempt.ID, u.config.GiveUp)
		fallthrough
	default:
		return fmt.Errorf("send it again: %w", err)
	}
}

// sentToAnother looks for an attempt that may have been sent to another process than the
// one at its address now. It reports whether nothing else can be done now.
func (u *Upkeep) sentToAnother(ctx context.Context, o *Open, doubtful bool) (at whereabouts, over bool, err error) {
	found, err := u.locateAttempts(ctx, []job.Attempt{o.Attempt})
	if err != nil {
		return nowhere, true, recorded(err)
	}
	switch at = found[o.Attempt.ID]; {
	case at == elsewhere:
		err = errMoved
	case at == heldHere:
	case at == untold:
		err = u.failed(ctx, *o, job.Lost, fmt.Sprintf("an executor that may have the attempt gave no answer for %s", u.config.Doubt))
	case at == unsure || doubtful:
		err = fmt.Errorf("send it again: %w", errDoubtful)
	default:
		return at, false, nil
	}
	return at, true, err
}

// taskOf returns the task of an attempt in the form to send.
func (u *Upkeep) taskOf(ctx context.Context, o *Open) (job.Task, error) {
	t, err := o.Job.FillTask(job.NewTask(&o.Job, &o.Run, &o.Attempt))
	if err != nil || u.config.Resolver == nil {
		return t, err
	}
	return u.config.Resolver.Resolve(ctx, &o.Job, t)
}

// onsets records since when a condition holds for attempts.
type onsets struct {
	mu    sync.Mutex
	first map[int64]time.Time // guarded by mu
}

// maxOnsets bounds the recorded attempts.
const maxOnsets = 10_000

// noteOnset records the onset for an attempt if it is new. Attempts that are not queried any
// more are dropped in time.
func (n *onsets) noteOnset(attempt int64, giveUp time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, known := n.first[attempt]; known {
		return
	}
	if len(n.first) >= maxOnsets {
		maps.DeleteFunc(n.first, func(_ int64, at time.Time) bool { return time.Since(at) > 2*giveUp })
	}
	if n.first == nil {
		n.first = make(map[int64]time.Time)
	}
	if len(n.first) < maxOnsets {
		n.first[attempt] = time.Now()
	}
}

// forget records that the condition no longer holds for an attempt.
func (n *onsets) forget(attempt int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.first, attempt)
}

// since returns how long the condition has held for an attempt; 0 for not at all.
func (n *onsets) since(attempt int64) time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	if at, known := n.first[attempt]; known {
		return time.Since(at)
	}
	return 0
}

// failed records the end of an attempt that its executor never accepted.
func (u *Upkeep) failed(ctx context.Context, o Open, end job.State, why string) error {
	return recorded(u.config.Recorder.Complete(ctx, []job.Outcome{{
		AttemptID: o.Attempt.ID, TriggeredAt: o.Attempt.TriggeredAt, State: end,
		Message: fmt.Sprintf("%s (executor %s)", why, o.Attempt.Address), EndedAt: time.Now(),
	}}))
}
