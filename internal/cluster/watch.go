package cluster

import (
	"context"
	"time"
)

// Watched reports whether somebody watches what changes, here or at another server, and
// since when. It is asked within transactions.
func (c *Cluster) Watched() (since time.Time, yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.since, c.watched.After(time.Now())
}

// Watch says that somebody watches here from now on, and returns the id behind which
// everything that changes is written down. Other servers are told.
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

// Unwatch says that nobody watches here any more.
func (c *Cluster) Unwatch() { c.watching.Store(false) }
