package cluster

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// State is the lifecycle state of a server.
type State string

// The states of servers.
const (
	// Working servers plan and dispatch.
	Working State = "working"
	// Draining servers finish what they have and start nothing new.
	Draining State = "draining"
	// Stopped servers have stopped cleanly.
	Stopped State = "stopped"
	// Gone servers have no lease any more, and did not stop cleanly.
	Gone State = "gone"
)

// Server is a server with its state.
type Server struct {
	Row
	State State
	// Self marks this server. Leads marks the leader; for this server it is its own view.
	Self bool
}

// List returns the servers with a heartbeat within the last day, in order of name. It
// always includes this server.
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

// stateOf returns the state of the server of a row at an instant of the database's clock.
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

// Drain drains a server, or lets it resume work. Kinds: those of [Store.DrainServer];
// Conflict when this server is alone on its database.
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
