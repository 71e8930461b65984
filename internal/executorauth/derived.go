package executorauth

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// maxIDs bounds the cached group ids. When it is full, all are dropped.
const maxIDs = 4096

// groupIDs caches group ids as long as other rows, since each executor call needs one. The
// zero groupIDs is empty.
type groupIDs struct {
	mu    sync.Mutex
	known map[string]groupID // guarded by mu
}

type groupID struct {
	id int64
	at time.Time // time of the read
}

func (g *groupIDs) get(group string, now time.Time) (int64, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	known, ok := g.known[group]
	return known.id, ok && now.Sub(known.at) < freshFor
}

func (g *groupIDs) put(group string, id int64, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil || len(g.known) >= maxIDs {
		g.known = make(map[string]groupID)
	}
	g.known[group] = groupID{id, now}
}

// derived returns the caller with the derived token of a group, as far as known without a
// read.
func derived(group string) job.Caller {
	return job.Caller{GroupID: job.NoGroup, Group: group, TokenID: job.TokenDerived}
}

// Confirm completes a caller whose token or signature is valid. It may read rows, which
// unauthenticated callers must not cause. The group of a derived token need not exist: it
// is created when its first executor registers. Kinds: Unavailable.
func (g *Groups) Confirm(ctx context.Context, caller job.Caller) (job.Caller, error) {
	if caller.TokenID != job.TokenDerived {
		return caller, nil
	}
	b, err := g.fresh(ctx)
	if err != nil {
		return job.Caller{}, err
	}
	caller.Closed = b.closed
	now := time.Now()
	if id, known := g.ids.get(caller.Group, now); known {
		caller.GroupID = id
		return caller, nil
	}
	id, err := g.config.Store.GroupID(ctx, caller.Group)
	switch {
	case job.Is(err, job.NotFound):
		return caller, nil
	case err != nil:
		g.config.Logger.Error("the group of an executor could not be read; it is refused", "group", caller.Group, "error", err)
		return job.Caller{}, unread()
	}
	g.ids.put(caller.Group, id, now)
	caller.GroupID = id
	return caller, nil
}
