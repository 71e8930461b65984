// Package store names what a database must do for Orth: the union of the narrow
// interfaces that the rooms declare.
//
// It knows those interfaces and nothing else. It must never know SQL; the
// back ends beside it do. The conformance suite in storetest takes a Store, and
// the wiring hands one to every room.
package store

import (
	"context"

	"github.com/orthd/orth/internal/auth"
	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/broadcast"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/workflow"
)

// Store is a database of Orth. All methods are safe for concurrent use; writes
// of concurrent callers share transactions, and a write that returns nil is
// durable. Kinds of error: those of the narrow interfaces, job.Unavailable when
// the database is away or full, and job.Internal.
type Store interface {
	planner.Store
	dispatcher.Store
	dispatcher.Acceptor
	dispatcher.Jobs
	dispatcher.IDs
	dispatcher.Expirer
	dispatcher.Overlaps
	completer.Store
	completer.IDs
	registry.Store
	upkeep.Store
	upkeep.Running
	upkeep.History
	upkeep.Remover
	upkeep.Deadlines
	upkeep.Expiries
	upkeep.Stops
	catalog.JobWriter
	catalog.JobReader
	catalog.RunWriter
	catalog.RunReader
	catalog.Stopper
	catalog.Calendars
	catalog.Pauses
	catalog.Backfills
	catalog.DeadLetters
	catalog.Broadcasts
	catalog.History
	catalog.StatsReader
	backfill.Store
	broadcast.Store
	workflow.Store
	workflow.Definitions
	workflow.Book
	auth.Store

	// ReleaseClaims makes every waiting run visible from its due time on, and
	// every attempt without an answer due to be looked at. A server that is
	// alone on its database calls it once, before its loops.
	ReleaseClaims(ctx context.Context) error
	// Run is the writer's loop; writes work only while it runs. It returns
	// when ctx has ended and the writes under way are done.
	Run(ctx context.Context) error
	// Close closes the database. Call it after Run has returned.
	Close() error
}
