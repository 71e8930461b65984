package planner

import (
	"context"
	"fmt"
	"time"
)

// takeover is how much later than this server's own firings one is when it plans that although
// it is another one's: longer than those that are alive and well need, and well below any useful
// misfire threshold.
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
	oldest := p.oldestOwn(late)
	if len(oldest) > 0 { // this page of jobs, and each that follows, is work for nothing as a rule
		p.lateAt = now.Add(p.config.Horizon)
	}
	for i := range late {
		d := &late[i]
		if known[d.JobID] || p.offers.isOffered(d) || p.config.Mine(d.JobID) {
			continue
		}
		if own, some := oldest[d.GroupID]; !some || d.Look.Add(takeover).Before(own) {
			p.ready = append(p.ready, *d)
		}
	}
	return nil
}

// oldestOwn returns since when a job of this server's is late, by group. When more is due than
// all servers can do, everybody's jobs are late alike: to plan those of others as well would
// double the work of all. Groups are apart since one may have no room for more.
func (p *Planner) oldestOwn(late []Due) map[int64]time.Time {
	oldest := make(map[int64]time.Time)
	for i := range late {
		d := &late[i]
		if !p.config.Mine(d.JobID) {
			continue
		}
		if own, some := oldest[d.GroupID]; !some || d.Look.Before(own) {
			oldest[d.GroupID] = d.Look
		}
	}
	return oldest
}
