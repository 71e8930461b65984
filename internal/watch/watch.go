// Package watch detects conditions that no event announces: runs that are due and do not
// start, groups with a backlog, groups without executors.
//
// It knows waiting runs, groups, and the thresholds of each. It must never know rules,
// channels, recipients, SQL or executors. It polls the state of the database and emits one
// event when a condition begins and one when it ends.
//
// Each open condition is a row, so a restart repeats no event. Of several servers that
// detect the same condition, the first one reports it.
package watch

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/plural"
)

const (
	// maxWalk is the most waiting runs of a group that one poll reads, ordered by priority
	// and then by when they became ready.
	maxWalk = 10_000
	// maxFresh is the most jobs that one poll newly reports; the next poll continues.
	maxFresh = 1000
	// maxGroups is the page size for groups.
	maxGroups = 1000
	// keepEvents is how long processed events are kept for diagnosis. maxForgotten is the
	// most events that one poll removes.
	keepEvents   = 24 * time.Hour
	maxForgotten = 5000
)

// Config configures a Watch.
type Config struct {
	Store Store
	Rules Rules
	// Every is the time between two polls, and the least time between two events about a
	// backlog. Defaults to 10 s.
	Every time.Duration
	// Grace is how long after its start a Watch reports nothing new: executors could not
	// send heartbeats while the server was away. Defaults to 90 s.
	Grace time.Duration
	// Idle reports whether this server leaves reporting to other servers. Defaults to
	// never.
	Idle   func() bool
	Logger *slog.Logger
}

// Watch is a polling loop. It keeps nothing in memory between two polls.
type Watch struct{ config Config }

// New returns a Watch that does nothing until Run.
func New(c Config) *Watch {
	if c.Every <= 0 {
		c.Every = 10 * time.Second
	}
	if c.Grace <= 0 {
		c.Grace = 90 * time.Second
	}
	if c.Idle == nil {
		c.Idle = func() bool { return false }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Watch{config: c}
}

// Run polls until ctx ends. It logs errors of the store and tries again at the next poll.
func (w *Watch) Run(ctx context.Context) error {
	started := time.Now()
	ticker := time.NewTicker(w.config.Every)
	defer ticker.Stop()
	for {
		if now := time.Now(); !w.config.Idle() {
			if err := w.look(ctx, now, now.Sub(started) < w.config.Grace); err != nil && ctx.Err() == nil {
				w.config.Logger.Error("could not check for late runs and groups without executors; trying again", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// look reports the conditions that began and those that ended; when calm is set, it reports
// no new ones.
func (w *Watch) look(ctx context.Context, now time.Time, calm bool) error {
	said, err := w.config.Store.Said(ctx)
	if err != nil {
		return fmt.Errorf("read open events: %w", err)
	}
	sight, err := w.see(ctx, now, said)
	if err != nil {
		return err
	}
	changes := decide(said, sight, now, w.config.Every, calm)
	if len(changes) > 0 {
		if err := w.config.Store.Say(ctx, changes); err != nil {
			return fmt.Errorf("report %s: %w", plural.Count(len(changes), "change"), err)
		}
	}
	if _, err := w.config.Store.RemoveEvents(ctx, now.Add(-keepEvents), maxForgotten); err != nil {
		return fmt.Errorf("remove old events: %w", err)
	}
	return nil
}

// see reads the conditions in the database.
func (w *Watch) see(ctx context.Context, now time.Time, said []Said) (sight, error) {
	s := sight{late: make(map[int64]Waiting), jobs: make(map[int64]alarm.Event), waits: make(map[int64]bool)}
	var after int64
	for {
		page, err := w.config.Store.WaitingGroups(ctx, after, maxGroups)
		if err != nil {
			return s, fmt.Errorf("read groups with waiting runs: %w", err)
		}
		for i := range page {
			if err := w.seeGroup(ctx, now, &page[i], &s); err != nil {
				return s, err
			}
		}
		if len(page) < maxGroups {
			break
		}
		after = page[len(page)-1].GroupID
	}
	if err := w.seeDown(ctx, now, &s); err != nil {
		return s, err
	}
	err := w.seeJobs(ctx, now, said, &s)
	return s, err
}

// seeGroup reads the waiting runs of a group if a rule asks for them.
func (w *Watch) seeGroup(ctx context.Context, now time.Time, g *alarm.Event, s *sight) error {
	within := w.config.Rules.Within(g)
	least, most := w.config.Rules.Backlog(g)
	if least > 0 {
		n, err := w.config.Store.CountWaiting(ctx, g.GroupID, now, most)
		if err != nil {
			return fmt.Errorf("count waiting runs of group %s: %w", g.Group, err)
		}
		if n >= least {
			s.piled = append(s.piled, pile{group: *g, count: n, more: n >= most})
		}
	}
	if within <= 0 {
		return nil
	}
	waiting, err := w.config.Store.Waiting(ctx, g.GroupID, now, maxWalk)
	if err != nil {
		return fmt.Errorf("read waiting runs of group %s: %w", g.Group, err)
	}
	s.cut = s.cut || len(waiting) >= maxWalk
	for _, r := range waiting {
		if first, seen := s.late[r.JobID]; r.Begun || now.Sub(r.DueAt) < within || seen && !r.DueAt.Before(first.DueAt) {
			continue
		}
		s.late[r.JobID] = r
	}
	return nil
}

// seeDown reads the groups without executors.
func (w *Watch) seeDown(ctx context.Context, now time.Time, s *sight) error {
	var after int64
	for {
		page, err := w.config.Store.DownGroups(ctx, after, now, maxGroups)
		if err != nil {
			return fmt.Errorf("read groups without executors: %w", err)
		}
		for i := range page {
			if w.config.Rules.Down(&page[i]) {
				s.down = append(s.down, page[i])
			}
		}
		if len(page) < maxGroups {
			return nil
		}
		after = page[len(page)-1].GroupID
	}
}

// seeJobs reads the jobs of late runs and drops those whose threshold is not reached. It
// also checks whether reported runs still wait where their group has too many runs to see
// them.
func (w *Watch) seeJobs(ctx context.Context, now time.Time, said []Said, s *sight) error {
	known := make(map[int64]bool)
	var hidden []int64
	for i := range said {
		e := &said[i].Event
		if e.Source != alarm.SourceLate {
			continue
		}
		known[e.JobID] = true
		first, late := s.late[e.JobID]
		if within := w.config.Rules.Within(e); late && (within <= 0 || now.Sub(first.DueAt) < within) {
			delete(s.late, e.JobID)
			continue
		}
		if !late && s.cut {
			hidden = append(hidden, e.RunID)
		}
	}
	var fresh []int64
	for id := range s.late {
		if !known[id] && len(fresh) < maxFresh {
			fresh = append(fresh, id)
		}
	}
	if len(fresh) > 0 {
		jobs, err := w.config.Store.LateJobs(ctx, fresh)
		if err != nil {
			return fmt.Errorf("read %s with late runs: %w", plural.Count(len(fresh), "job"), err)
		}
		for i := range jobs {
			within := w.config.Rules.Within(&jobs[i])
			if within > 0 && now.Sub(s.late[jobs[i].JobID].DueAt) >= within {
				s.jobs[jobs[i].JobID] = jobs[i]
			}
		}
	}
	if len(hidden) == 0 {
		return nil
	}
	waits, err := w.config.Store.StillWaiting(ctx, hidden)
	if err != nil {
		return fmt.Errorf("read whether %s wait on: %w", plural.Count(len(hidden), "run"), err)
	}
	for _, id := range waits {
		s.waits[id] = true
	}
	return nil
}
