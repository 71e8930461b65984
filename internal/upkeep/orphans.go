package upkeep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// mostOrphans bounds the attempts that one read returns when many of them are lingering.
const mostOrphans = 10_000

// orphans ends attempts whose executor has no lease and no longer has them, and reports
// whether there may be more.
func (u *Upkeep) orphans(ctx context.Context) (more bool, err error) {
	now := time.Now()
	limit := min(u.config.Batch+len(u.lingering), mostOrphans) // the lingering ones come again
	open, err := u.config.Store.Orphans(ctx, u.config.Now(), limit)
	if err != nil {
		return false, fmt.Errorf("read attempts without an executor: %w", err)
	}
	attempts, addresses := make([]job.Attempt, len(open)), make([]string, len(open))
	for i := range open {
		attempts[i], addresses[i] = open[i].Attempt, open[i].Attempt.Address
	}
	holds := make([]bool, len(attempts)) // each written by one goroutine
	answers := byExecutor(addresses, func(i int) error {
		var err error
		holds[i], err = u.holds(ctx, addresses[i], attempts[i])
		return err
	})
	if err := ctx.Err(); err != nil {
		return false, err
	}
	outcomes, _, err := u.lostHere(ctx, u.verdicts(attempts, answers, holds, now), attempts)
	if err == nil {
		outcomes, err = u.still(ctx, outcomes, limit)
	}
	if err == nil {
		outcomes, err = u.claimOutcomes(ctx, outcomes, open)
	}
	if err != nil {
		return false, err
	}
	if len(outcomes) == 0 {
		return false, nil
	}
	u.config.Logger.Warn("attempts are lost: their executors are gone", "count", len(outcomes))
	if err := u.config.Recorder.Complete(ctx, outcomes); err != nil {
		return false, fmt.Errorf("record %s: %w", plural.Count(len(outcomes), "lost attempt"), err)
	}
	return len(attempts) >= limit, nil
}

// still returns the outcomes of attempts whose executor has no lease by now either: the
// queries take seconds, in which a heartbeat may have arrived.
func (u *Upkeep) still(ctx context.Context, outcomes []job.Outcome, limit int) ([]job.Outcome, error) {
	if len(outcomes) == 0 {
		return nil, nil
	}
	open, err := u.config.Store.Orphans(ctx, u.config.Now(), limit)
	if err != nil {
		return nil, fmt.Errorf("read again which attempts have no executor: %w", err)
	}
	alone := make(map[int64]bool, len(open))
	for i := range open {
		alone[open[i].Attempt.ID] = true
	}
	return slices.DeleteFunc(outcomes, func(o job.Outcome) bool { return !alone[o.AttemptID] }), nil
}

// claimOutcomes returns the outcomes of attempts that no other server has claimed to send them again
// since they were read. It claims them, so that none can any more: an attempt that is
// recorded as lost must not be sent.
func (u *Upkeep) claimOutcomes(ctx context.Context, outcomes []job.Outcome, open []Open) ([]job.Outcome, error) {
	lost := make(map[int64]bool, len(outcomes))
	for _, o := range outcomes {
		lost[o.AttemptID] = true
	}
	var unanswered []Open
	for i := range open {
		if o := &open[i]; lost[o.Attempt.ID] && !o.CheckAt.IsZero() {
			unanswered = append(unanswered, *o)
		}
	}
	if len(unanswered) == 0 {
		return outcomes, nil
	}
	taken, err := u.config.Store.ClaimUnanswered(ctx, unanswered, u.config.Now().Add(u.config.Again))
	if err != nil {
		return nil, fmt.Errorf("claim %s: %w", plural.Count(len(unanswered), "unanswered attempt"), err)
	}
	theirs := make(map[int64]bool)
	for i := range unanswered {
		theirs[unanswered[i].Attempt.ID] = !taken[i]
	}
	return slices.DeleteFunc(outcomes, func(o job.Outcome) bool { return theirs[o.AttemptID] }), nil
}

// verdicts decides which attempts are lost and why, and remembers the others.
func (u *Upkeep) verdicts(attempts []job.Attempt, answers []attemptStatus, holds []bool, now time.Time) []job.Outcome {
	lingering := make(map[int64]time.Time)
	var outcomes []job.Outcome
	for i, a := range attempts {
		since, known := u.lingering[a.ID]
		if !known {
			since = now
		}
		var reason string
		switch {
		case silent(answers[i].err):
			reason = fmt.Sprintf("executor %s is gone: its lease has ended, it does not answer and no result came", a.Address)
		case answers[i].asked && answers[i].err == nil && !holds[i]:
			reason = fmt.Sprintf("executor %s has no lease and does not know the attempt any more", a.Address)
		case now.Sub(since) >= u.config.Linger:
			reason = fmt.Sprintf("executor %s has had no lease for %s and no result came", a.Address, u.config.Linger)
		default:
			lingering[a.ID] = since
			continue
		}
		outcomes = append(outcomes, job.Outcome{
			AttemptID: a.ID, TriggeredAt: a.TriggeredAt, State: job.Lost, Message: reason, EndedAt: now,
		})
	}
	u.lingering = lingering
	return outcomes
}
