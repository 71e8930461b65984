package planner

import (
	"context"
	"fmt"
	"log/slog"
)

// decider makes plans for single jobs, and caches what several plans share. One goroutine
// at a time uses it.
type decider struct {
	ids       IDs
	logger    *slog.Logger
	schedules *schedules
	rules     *rules
	pace      *pacer
}

func newDecider(c *Config, store RuleStore) decider {
	return decider{
		ids: c.IDs, logger: c.Logger, schedules: newSchedules(20_000),
		rules: &rules{store: store, logger: c.Logger}, pace: &pacer{rate: int64(c.CatchUpRate)},
	}
}

// planOne decides for one job, and assigns ids and starts to its runs.
func (p *decider) planOne(ctx context.Context, d *Due, l limits) (next plan, err error) {
	if next.move, err = p.decide(ctx, d, l); err != nil {
		return plan{}, err
	}
	next.move.Rules, next.group = p.rules.version, d.GroupID
	for i := range next.move.Runs {
		if next.move.Runs[i].ID, err = p.ids.NextRunID(ctx); err != nil {
			return plan{}, fmt.Errorf("draw a run id: %w", err)
		}
	}
	next.spread(p.pace, d.Limits, l.atOnce)
	return next, nil
}

// decide is [decide] for a job whose schedule is not compiled yet.
func (p *decider) decide(ctx context.Context, d *Due, l limits) (Move, error) {
	s, err := p.schedules.scheduleOf(d, p.rules)
	if err != nil && namesCalendars(&d.Schedule) && p.rules.readAt.Before(l.read) {
		// The calendar may be newer than the rules.
		p.rules.stale = true
		if err := p.rules.refresh(ctx, l.read); err != nil {
			return Move{}, err
		}
		s, err = p.schedules.scheduleOf(d, p.rules)
	}
	if err != nil {
		p.logger.Error("schedule cannot be read; the job is stopped", "job_id", d.JobID, "error", err)
		return unreadable(d, err, l), nil
	}
	return decide(d, s, p.rules.pauses, l), nil
}
