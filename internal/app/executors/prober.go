package executors

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/job"
)

// Prober probes executors for the routes, and skips those with an open circuit breaker. A
// probe without an answer counts as a failed call. An answer proves nothing about tasks, so
// the task that follows counts.
type Prober struct {
	route.Prober
	Breakers *breaker.Set
}

// Beat asks whether the executor is there.
func (p Prober) Beat(ctx context.Context, address string) error {
	if err := p.alone(address); err != nil {
		return err
	}
	return p.note(ctx, address, p.Prober.Beat(ctx, address))
}

// IdleBeat asks whether the executor runs the job, or has it queued.
func (p Prober) IdleBeat(ctx context.Context, address string, jobID int64) (bool, error) {
	if err := p.alone(address); err != nil {
		return false, err
	}
	busy, err := p.Prober.IdleBeat(ctx, address, jobID)
	return busy, p.note(ctx, address, err)
}

// alone returns why the executor is not asked.
func (p Prober) alone(address string) error {
	now := time.Now()
	if p.Breakers.Ready(address, now) {
		return nil
	}
	status := p.Breakers.Status(address, now)
	return job.Errorf(job.Unavailable, "it is left alone: %s in a row %s failed, the last one: %s",
		plural.Count(status.Failures, "call"), plural.Verb(status.Failures, "has", "have"), status.Reason)
}

// note counts a probe without an answer.
func (p Prober) note(ctx context.Context, address string, err error) error {
	if ctx.Err() == nil && (job.Is(err, job.Unreachable) || job.Is(err, job.Ambiguous)) {
		now := time.Now()
		_ = p.Breakers.Allow(address, now) // it was the trial, if one was due
		p.Breakers.Failed(address, now, err.Error())
	}
	return err
}
