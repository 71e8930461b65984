package cluster

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/event"
)

// Row is a server as the store keeps it. Instants are by the database's clock, but for
// StartedAt, which is by the server's.
type Row struct {
	// Name is how people call it, and Life which of its lives it is.
	Name, Life string
	// Address is its base URL.
	Address, Version              string
	StartedAt, BeatAt, LeaseUntil time.Time
	StoppedAt                     time.Time // zero unless it has stopped in good order
	Draining                      bool
	WatchingUntil                 time.Time // until when somebody follows events there; zero for nobody
	// Figures are what it says of itself, as JSON.
	Figures string
}

// Beat is what a server says of itself.
type Beat struct {
	Name, Life, Address, Version string
	StartedAt                    time.Time
	Figures                      string
	// For is how long it is thought alive without another one.
	For time.Duration
	// Watching is for how long what is changed is to be written down, 0 for nobody there.
	Watching time.Duration
	// Stops says that the server drains until the end of its life.
	Stops bool
	// Lead asks for the lead, or to keep it. Without it a lead that it has is given up.
	Lead bool
}

// Heard is what the store answers to a beat.
type Heard struct {
	// At is when that was, by the database's clock.
	At time.Time
	// Draining says that somebody wants the server to drain.
	Draining bool
	// Taken is the address of a later server with the same name, empty for none: nothing
	// was written.
	Taken string
	// Leads says that this server leads, under the number of its term.
	Leads bool
	Term  int64
	// Watched says until when servers have somebody who watches; zero for nobody.
	Watched time.Time
	// Working are the names of the servers that are alive and do not drain.
	Working []string
	// Lost is when the lease of a server ended last that did not stop in good order; zero
	// for none.
	Lost time.Time
}

// Told is what a transaction has changed.
type Told = event.Told

// Store keeps the servers of a database.
type Store interface {
	// BeatServer writes a server's row, which the first beat of a life takes over, and
	// says how things stand.
	BeatServer(ctx context.Context, b Beat) (Heard, error)
	// LeaveServer says that a life has ended in good order.
	LeaveServer(ctx context.Context, name, life string) error
	// Servers returns all rows in order of name.
	Servers(ctx context.Context) ([]Row, error)
	// Now returns the database's time.
	Now(ctx context.Context) (time.Time, error)
	// DrainServer tells a server to drain, or to work again. Kinds: NotFound; Conflict
	// when it is gone, or when no other one would work.
	DrainServer(ctx context.Context, name string, on bool) error
	// PruneServers removes servers that were last heard of before an instant, and what
	// was changed before another one, but for the last row.
	PruneServers(ctx context.Context, heard, changed time.Time) error
	// WatchChanges asks servers to write down what they change, for a while, and returns
	// the id behind which that begins.
	WatchChanges(ctx context.Context, name string, watching time.Duration) (after int64, err error)
	// ChangesAfter returns so many rows behind an id, in their order, and whether none
	// between them and the id is missing.
	ChangesAfter(ctx context.Context, id int64, limit int) (rows []Told, whole bool, err error)
}
