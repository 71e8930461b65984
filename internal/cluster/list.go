package cluster

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// State is how a server stands.
type State string

// The states of servers.
const (
	// Working is one that plans and dispatches.
	Working State = "working"
	// Draining is one that ends what it has.
	Draining State = "draining"
	// Stopped is one that has stopped in good order.
	Stopped State = "stopped"
	// Gone is one whose lease is over.
	Gone State = "gone"
)

// Server is a server as it stands.
type Server struct {
	Row
	State State
	// Self says that it is this one. Leads says that it does what needs to be done once,
	// as far as this one knows of itself.
	Self bool
}

// List returns the servers that were heard of within a day, in order of name. This one
// is always among them.
func (c *Cluster) List(ctx context.Context) ([]Server, error) {
	self := Server{
		Row: Row{
			Name: c.config.Name, Life: c.life, Address: c.config.Address, Version: c.config.Version, StartedAt: c.config.Started,
			Draining: c.Draining(), Figures: c.config.Figures(),
		},
		Self: true, State: Working,
	}
	if self.Draining {
		self.State = Draining
	}
	if c.config.Alone {
		return []Server{self}, nil
	}
	rows, err := c.config.Store.Servers(ctx)
	if err != nil {
		return []Server{self}, err
	}
	now := time.Now().Add(-c.Skew())
	all, found := make([]Server, 0, len(rows)+1), false
	for i := range rows {
		s := Server{Row: rows[i], State: stateOf(&rows[i], now)}
		if s.Life == c.life {
			found = true
			s.Self, s.State, s.Draining, s.Figures = true, self.State, self.Draining, self.Figures
		}
		all = append(all, s)
	}
	if !found {
		all = append([]Server{self}, all...)
	}
	return all, nil
}

// stateOf says how the server of a row stands at an instant of the database's clock.
func stateOf(r *Row, now time.Time) State {
	switch {
	case !r.StoppedAt.IsZero():
		return Stopped
	case !r.LeaseUntil.After(now):
		return Gone
	case r.Draining:
		return Draining
	}
	return Working
}

// Drain tells a server to drain, or to work again. Kinds: those of
// [Store.DrainServer]; Conflict when this one is alone on its database.
func (c *Cluster) Drain(ctx context.Context, name string, on bool) error {
	if c.config.Alone {
		wrong := job.Errorf(job.Conflict, "this server is alone on its database: no other one would work while it drains")
		wrong.Hint = "pause jobs to hold them back; a stop ends what is under way in good order"
		return wrong
	}
	if err := c.config.Store.DrainServer(ctx, name, on); err != nil {
		return err
	}
	c.Wake()
	c.config.Told()
	return nil
}
