package cluster

import (
	"context"
	"time"
)

// Watched reports whether this or another server has a watcher of changes, and since when.
// Transactions call it.
func (c *Cluster) Watched() (since time.Time, yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.since, c.watched.After(time.Now())
}

// Watch registers a watcher at this server, and returns the id after which every change is
// recorded. It announces the watcher to other servers.
func (c *Cluster) Watch(ctx context.Context) (after int64, err error) {
	c.watching.Store(true)
	c.mu.Lock()
	now := time.Now()
	if !c.watched.After(now) {
		c.since = now
	}
	c.watched = now.Add(watchFor)
	c.mu.Unlock()
	if after, err = c.config.Store.WatchChanges(ctx, c.config.Name, watchFor); err != nil {
		return 0, err
	}
	c.config.Told()
	return after, nil
}

// Unwatch removes the watcher of this server.
func (c *Cluster) Unwatch() { c.watching.Store(false) }
