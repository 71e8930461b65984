package app

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/broadcast"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// rooms are those with a loop that only the wiring knows.
type rooms struct {
	start    *gate
	leases   *registry.Registry
	groups   *executorauth.Groups
	door     func(context.Context) error
	keep     *upkeep.Upkeep
	expire   *upkeep.Expiry
	dispatch *dispatcher.Dispatcher
	plan     *planner.Planner
	fill     *backfill.Engine
	flow     *workflow.Engine
	barrier  *broadcast.Engine
}

// loops are the parts of a server, in order of need.
func (s *Server) loops(r *rooms) []lifecycle.Part {
	parts := []lifecycle.Part{
		{Name: "store", Run: s.store.Run},
		{Name: "gate", Run: r.start.Run},
		{Name: "calls", Run: s.calls.Run},
		{Name: "cluster", Run: s.cluster.Run},
		{Name: "registry", Run: r.leases.Run},
		{Name: "news", Run: s.news.Run},
		{Name: "listener", Run: s.calls.hear},
		{Name: "auth", Run: r.groups.Run},
		{Name: "identity", Run: s.users.Run},
		{Name: "sessions", Run: s.signing.run},
		{Name: "failed sign-ins", Run: s.signing.failures.Run},
		{Name: "http", Run: after(r.leases.Looked(), r.door)},
		{Name: "masks", Run: r.start.behind(s.masks.Run)},
		{Name: "vault", Run: r.start.behind(s.vault.Run)},
		{Name: "logbook", Run: r.start.behind(s.keeper.Run)},
		{Name: "log partitions", Run: r.start.behind(s.cluster.Leading(s.divider.Run))},
		{Name: "upkeep", Run: r.start.behind(r.keep.Run)},
		{Name: "pruner", Run: r.start.behind(s.cluster.Leading(s.pruner.Run))},
		{Name: "expiry", Run: r.start.behind(r.expire.Run)},
		{Name: "once", Run: r.start.behind(s.cluster.Leading(forgetting(s.store, s.config.Logger.With("room", "once"))))},
		{Name: "dispatcher", Run: r.start.behind(r.dispatch.Run), Drain: s.handingOver()},
		{Name: "planner", Run: r.start.behind(r.plan.Run)},
		{Name: "backfill", Run: r.start.behind(r.fill.Run)},
		{Name: "workflow", Run: r.start.behind(r.flow.Run)},
		{Name: "broadcast", Run: r.start.behind(r.barrier.Run)},
		{Name: "first user", Run: r.start.behind(s.firstRun(s.users))},
	}
	parts = append(parts, s.alarms.parts(r.start)...)
	parts = append(s.auditParts(), parts...)
	parts = append(s.spans.parts(), parts...) // the last to stop
	if s.metrics != nil {
		parts = append(parts, s.metricsPart())
	}
	return parts
}

// firstLook bounds how long a server that begins asks its database for executors before it
// answers anybody: longer than one that works needs, and too short to be taken for dead.
const firstLook = 5 * time.Second

// after returns the loop, begun when a channel is closed, after firstLook otherwise. One
// whose time is over before is begun nevertheless: it may hold something to be let go.
func after(known <-chan struct{}, loop func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		last := time.NewTimer(firstLook)
		defer last.Stop()
		select {
		case <-known:
		case <-last.C:
		case <-ctx.Done():
		}
		return loop(ctx)
	}
}

// sentBy returns a function that reports the attempts that a dispatcher, which is made
// later, has sent.
func sentBy(d **dispatcher.Dispatcher) func(attempt int64) (completer.Sent, bool) {
	return func(attempt int64) (completer.Sent, bool) {
		one, known := (*d).Sent(attempt)
		return completer.Sent(one), known
	}
}

// endHooks are what the end of an attempt means to the server.
func (s *Server) endHooks(e endings, ready func(time.Time), over func(attempt int64)) completer.Hooks {
	return completer.Hooks{
		Ready: ready, Foreign: e.foreign, Elder: e.elder,
		Completed: func(c completer.Completion) {
			over(c.AttemptID)
			if c.Log != nil {
				s.keeper.Stored(c.AttemptID)
			} else {
				s.keeper.Ended(c.AttemptID)
			}
			s.meters.ended(&c)
			s.spans.ended(&c)
			e.tell(c)
		},
		Buried: func(c completer.Completion) {
			s.meters.dead.Add(1)
			e.buried(c)
		},
	}
}

// givenUp is called for every run that ends without an attempt.
func (s *Server) givenUp(e endings) func(job.Run) {
	return func(r job.Run) {
		s.meters.gaveUp(&r)
		e.expired(r)
	}
}
