package planner

import (
	"context"
	"fmt"
	"time"
)

// takeover is how late a firing is when a server plans it although it is another one's:
// longer than those that are alive and well need, and well below any useful misfire
// threshold.
const takeover = 300 * time.Millisecond

// takeOver finds jobs that other servers should have planned and have not: they are gone, or
// do not agree with this one on who there is.
func (p *Planner) takeOver(ctx context.Context, now time.Time) error {
	if p.config.Mine == nil || now.Before(p.lateAt) {
		return nil
	}
	p.lateAt = now.Add(p.config.Horizon / steps)
	late, err := p.config.Store.DueJobs(ctx, Cursor{}, now.Add(-takeover), p.config.Batch)
	if err != nil {
		return fmt.Errorf("read jobs that are late: %w", err)
	}
	known := make(map[int64]bool, len(p.ready))
	for i := range p.ready {
		known[p.ready[i].JobID] = true
	}
	for i := range late {
		if d := &late[i]; !known[d.JobID] && !p.offers.has(d) && !p.config.Mine(d.JobID) {
			p.ready = append(p.ready, *d)
		}
	}
	return nil
}
