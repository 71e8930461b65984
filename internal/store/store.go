// Package store names what a database must do for Orth: the union of the narrow
// interfaces that the rooms declare.
//
// It knows those interfaces and nothing else. It must never know SQL; the
// back ends beside it do. The conformance suite in storetest takes a Store, and
// the wiring hands one to every room.
package store

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/broadcast"
	"github.com/orthd/orth/internal/cluster"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/secrets"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/internal/watch"
	"github.com/orthd/orth/internal/workflow"
)

// Store is a database of Orth. All methods are safe for concurrent use; writes
// of concurrent callers share transactions, and a write that returns nil is
// durable. Kinds of error: those of the narrow interfaces, job.Unavailable when
// the database is away or full, and job.Internal.
type Store interface {
	planner.Store
	planner.DueStore
	dispatcher.Store
	dispatcher.Acceptor
	waiting.Jobs
	dispatcher.IDs
	dispatcher.Expirer
	dispatcher.Overlaps
	completer.Store
	completer.IDs
	registry.Store
	registry.Facts
	upkeep.Store
	upkeep.Running
	upkeep.Moves
	upkeep.History
	upkeep.Remover
	upkeep.Deadlines
	upkeep.Expiries
	upkeep.Stops
	jobs.JobWriter
	jobrows.JobReader
	jobs.RunWriter
	jobrows.RunReader
	queries.Lists
	jobs.Groups
	jobs.Stopper
	jobs.Calendars
	jobs.Pauses
	jobs.Backfills
	deadletters.DeadLetters
	jobs.Broadcasts
	queries.History
	queries.StatsReader
	queries.AttemptLog
	queries.Revisions
	jobs.Trials
	queries.OverviewReader
	queries.DashboardReader
	backfill.Store
	broadcast.Store
	workflow.Store
	workflow.Definitions
	workflow.Book
	workflow.Ends
	executorauth.Store
	users.Store
	users.Book
	users.SessionStore
	users.SignInTries
	logbook.Index
	logbook.Shelf
	logbook.Debts
	logbook.Past
	logbook.Cellar
	logbook.Names
	logbook.Partitions
	alerting.Store
	alerting.Records
	alerting.Notifications
	alerting.Actions
	alerting.Outcomes
	alarmconfig.Store
	alarmconfig.Reader
	watch.Store
	secrets.Store
	news.Store
	cluster.Store

	// Place returns the places of an object that users name, by a key of a namespace or by
	// its id or its own key, for a check of permissions. Kinds: NotFound.
	Place(ctx context.Context, kind, namespace, key string) ([]access.Object, error)
	// GroupKey returns the key of the group with an id. Kinds: NotFound.
	GroupKey(ctx context.Context, id int64) (string, error)
	// Audit is the log of changes with their authors, and Onces the keys of requests.
	Audit
	Onces
	// LogBlobs keeps packs of logs in the database itself.
	LogBlobs() logbook.Blobs

	// ReleaseClaims makes every waiting run visible from its due time on, and
	// every attempt without an answer due to be looked at, from its time on. A server that is
	// alone on its database calls it once, before its loops.
	ReleaseClaims(ctx context.Context) error
	// FoldStats adds the oldest stored counts to the statistics, in one transaction, and
	// returns of how many transactions they are and whether there may be more. Run calls
	// it; statistics are the same before and after.
	FoldStats(ctx context.Context) (transactions int, more bool, err error)
	// Run is the writer's loop; writes work only while it runs. It returns
	// when ctx has ended and the writes under way are done.
	Run(ctx context.Context) error
	// Close closes the database. Call it after Run has returned.
	Close() error
}

// Audit stores the changes with their authors. A write whose context carries an intent
// writes its line in the same transaction; without a transaction there is no line but the
// one of Conclude.
type Audit interface {
	// AuditLines returns the lines of a query, a page of them.
	AuditLines(ctx context.Context, q audit.Query) ([]audit.Line, error)
	// AppendAudit writes lines that belong to no change.
	AppendAudit(ctx context.Context, lines []audit.Line) error
	// PruneAudit removes the oldest lines, those from before an instant, so many at
	// once, and returns what was removed. The context must carry the intent to do so:
	// its line makes the rest whole.
	PruneAudit(ctx context.Context, before time.Time) (audit.Removed, error)
	// Conclude ends the intent of ctx, whose operation has succeeded: it writes the line of
	// one that acted outside of the database, and stores the key of one that changed
	// nothing. Kinds: Conflict when another request used the key since.
	Conclude(ctx context.Context, acted bool) error
}

// Onces keeps the keys that make repeated requests harmless.
type Onces interface {
	// Version names how an object stands, for an intent to match; empty when there is
	// none.
	Version(ctx context.Context, o intent.Object) (string, error)
	// Once returns what is known of a caller's key, and false for nothing.
	Once(ctx context.Context, caller, key string) (intent.Reuse, bool, error)
	// SetReply keeps what was answered to the request with a key. The first answer
	// counts.
	SetReply(ctx context.Context, caller, key, reply string) error
	// DropOnce forgets the keys that are older than a day.
	DropOnce(ctx context.Context, now time.Time) error
}
