package alerting

import (
	"context"
	"fmt"
	"time"
)

// leaseName is the right to decide.
const leaseName = "alarms"

// hold takes or renews the lease when less than half of it is left, and reports
// whether this engine has it.
func (e *Engine) hold(ctx context.Context, now time.Time) (bool, error) {
	if now.Before(e.until.Add(-e.config.Lease / 2)) {
		return true, nil
	}
	until := now.Add(e.config.Lease)
	fence, held, err := e.config.Store.TakeLease(ctx, leaseName, e.config.Holder, now, until)
	if err != nil {
		return false, fmt.Errorf("take the lease: %w", err)
	}
	if e.until = (time.Time{}); held {
		e.fence, e.until = fence, until
	}
	return held, nil
}

// letGo ends the lease, so that the next server, or this one after a restart, need not
// wait for its end. It is a courtesy: what cannot be written ends by itself.
func (e *Engine) letGo(ctx context.Context) {
	if e.until.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	now := time.Now()
	_, _, err := e.config.Store.TakeLease(ctx, leaseName, e.config.Holder, now, now)
	if err != nil {
		e.config.Logger.Debug("the lease of alarms ends by itself", "error", err)
	}
	e.until = time.Time{}
}
