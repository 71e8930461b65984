package cluster

import (
	"context"
	"time"
)

// Leading returns a function that runs loop while this server leads. It stops loop when the
// lead ends, and starts it again with the next lead. A loop that returns earlier is not
// started again before that.
func (c *Cluster) Leading(loop func(context.Context) error) func(context.Context) error {
	if c.config.Alone {
		return loop
	}
	return func(ctx context.Context) error {
		for {
			leading, turned := c.lead()
			if leading {
				if err := c.during(ctx, turned, loop); err != nil {
					return err
				}
			}
			select {
			case <-turned:
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// lead reports whether this server leads; turned is closed when that changes.
func (c *Cluster) lead() (leading bool, turned <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leadUntil.After(time.Now()), c.turned
}

// during runs a loop until the lead ends.
func (c *Cluster) during(ctx context.Context, turned <-chan struct{}, loop func(context.Context) error) error {
	leading, stop := context.WithCancel(ctx)
	defer stop()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			c.mu.Lock()
			until := c.leadUntil
			c.mu.Unlock()
			wait := time.NewTimer(max(time.Until(until), 0))
			select {
			case <-turned:
			case <-leading.Done():
			case <-wait.C:
				if c.Leads() { // the server kept the lead
					continue
				}
				c.endLead()
			}
			wait.Stop()
			stop()
			return
		}
	}()
	err := loop(leading)
	stop()
	<-over
	return err
}
