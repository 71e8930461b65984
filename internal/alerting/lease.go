package alerting

import (
	"context"
	"fmt"
	"time"
)

// leaseName is the name of the lease to decide.
const leaseName = "alarms"

// acquireLease takes the lease, or renews it when less than half of it is left. It reports
// whether this engine holds it.
func (e *Engine) acquireLease(ctx context.Context, now time.Time) (bool, error) {
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

// releaseLease ends the lease, so that the next server does not wait for it to expire. It
// is best effort: after an error the lease expires.
func (e *Engine) releaseLease(ctx context.Context) {
	if e.until.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	now := time.Now()
	_, _, err := e.config.Store.TakeLease(ctx, leaseName, e.config.Holder, now, now)
	if err != nil {
		e.config.Logger.Debug("the lease of alarms was not released; it expires", "error", err)
	}
	e.until = time.Time{}
}
