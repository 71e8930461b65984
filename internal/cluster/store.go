package cluster

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/event"
)

// Row is a server as the store keeps it. Instants are by the database's clock, except
// StartedAt, which is by the server's.
type Row struct {
	// Name is the name people use for the server. Life identifies its process.
	Name, Life string
	// Address is its base URL.
	Address, Version              string
	StartedAt, BeatAt, LeaseUntil time.Time
	StoppedAt                     time.Time // zero unless it has stopped cleanly
	Draining                      bool
	WatchingUntil                 time.Time // until when it has a watcher; zero for none
	// Figures are the server's figures, as JSON.
	Figures string
}

// Beat is a server's heartbeat.
type Beat struct {
	Name, Life, Address, Version string
	StartedAt                    time.Time
	Figures                      string
	// For is how long the server counts as alive without another heartbeat.
	For time.Duration
	// Watching is for how long servers record changes for its watchers, 0 without watchers.
	Watching time.Duration
	// Stops means that the server drains until the end of its life.
	Stops bool
	// Lead requests or renews the lead. Without it the server releases a lead that it has.
	Lead bool
}

// Heard is the store's answer to a heartbeat.
type Heard struct {
	// At is the instant of the answer, by the database's clock.
	At time.Time
	// Draining means that a user has asked the server to drain.
	Draining bool
	// Taken is the address of a later server with the same name, empty for none. With Taken
	// nothing was written.
	Taken string
	// Leads means that this server leads, under the term with this number.
	Leads bool
	Term  int64
	// Watched is until when any server has a watcher; zero for none.
	Watched time.Time
	// Working lists the names of the servers that are alive and do not drain.
	Working []string
	// Lost is when the latest lease ended of a server that did not stop cleanly; zero for
	// none.
	Lost time.Time
}

// Told is a change made by a transaction.
type Told = event.Told

// Store keeps the servers of a database.
type Store interface {
	// BeatServer writes a server's row, which the first heartbeat of a life takes over, and
	// returns the state of the cluster.
	BeatServer(ctx context.Context, b Beat) (Heard, error)
	// LeaveServer records that a life has ended cleanly.
	LeaveServer(ctx context.Context, name, life string) error
	// Servers returns all rows in order of name.
	Servers(ctx context.Context) ([]Row, error)
	// Now returns the database's time.
	Now(ctx context.Context) (time.Time, error)
	// DrainServer drains a server, or lets it resume work. Kinds: NotFound; Conflict when
	// the server is gone, or when no other server would work.
	DrainServer(ctx context.Context, name string, on bool) error
	// PruneServers removes servers whose last heartbeat is from before heard, and changes
	// from before changed, except the last row of changes.
	PruneServers(ctx context.Context, heard, changed time.Time) error
	// WatchChanges asks servers to record changes for a while, and returns the id after
	// which the record begins.
	WatchChanges(ctx context.Context, name string, watching time.Duration) (after int64, err error)
	// ChangesAfter returns up to limit rows with ids above id, in their order, and whether
	// none of them is missing.
	ChangesAfter(ctx context.Context, id int64, limit int) (rows []Told, whole bool, err error)
}
