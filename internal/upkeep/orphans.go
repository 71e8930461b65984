package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/saying"
	"github.com/orthd/orth/job"
)

// mostOrphans bounds the attempts that are read at once when many of them are
// lingering.
const mostOrphans = 10_000

// orphans ends attempts whose executor is gone and reports whether there may be
// more.
func (u *Upkeep) orphans(ctx context.Context) (more bool, err error) {
	now := time.Now()
	limit := min(u.config.Batch+len(u.lingering), mostOrphans) // the lingering ones come again
	attempts, err := u.config.Store.Orphans(ctx, u.config.Now(), limit)
	if err != nil {
		return false, fmt.Errorf("read attempts without an executor: %w", err)
	}
	addresses := make([]string, len(attempts))
	for i, a := range attempts {
		addresses[i] = a.Address
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
	if err != nil {
		return false, err
	}
	if len(outcomes) == 0 {
		return false, nil
	}
	u.config.Logger.Warn("attempts are lost: their executors are gone", "count", len(outcomes))
	if err := u.config.Recorder.Complete(ctx, outcomes); err != nil {
		return false, fmt.Errorf("record %s: %w", saying.Count(len(outcomes), "lost attempt"), err)
	}
	return len(attempts) >= limit, nil
}

// verdicts says which attempts are lost and why, and remembers the others.
func (u *Upkeep) verdicts(attempts []job.Attempt, answers []answer, holds []bool, now time.Time) []job.Outcome {
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
