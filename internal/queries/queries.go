package queries

import (
	"context"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// Config configures a catalog. A query needs the sources that it reads.
type Config struct {
	Reader      jobrows.JobReader
	RunReader   jobrows.RunReader
	Calendars   jobrows.CalendarReader
	Pauses      jobrows.PauseReader
	Backfills   BackfillFinder
	Broadcasts  BroadcastFinder
	DeadLetters LetterFinder
	History     History
	Stats       StatsReader
	Leases      jobrows.Leases
	// Logs read the logs of attempts. Defaults to none: no log can be read.
	Logs      Logs
	Lists     Lists
	Tried     AttemptLog
	Revisions Revisions
}

// BackfillFinder finds backfills.
type BackfillFinder interface {
	// Backfill returns the backfill with JobKey, or NotFound.
	Backfill(ctx context.Context, id int64) (job.Backfill, error)
}

// BroadcastFinder finds runs that were split into shards.
type BroadcastFinder interface {
	// Broadcast returns how far the run is, or NotFound when it was not split.
	Broadcast(ctx context.Context, run int64) (job.Broadcast, error)
}

// LetterFinder finds dead letters.
type LetterFinder interface {
	// DeadLettersOf returns the dead letters of the runs that have one, in no
	// particular order.
	DeadLettersOf(ctx context.Context, runs []int64) ([]job.DeadLetter, error)
}

// Catalog answers queries about jobs. It has no loop of its own.
type Catalog struct {
	jobrows.Finder

	config Config
}

// New returns queries.
func New(c Config) *Catalog {
	if c.Logs == nil {
		c.Logs = noLogs{}
	}
	sources := jobrows.Sources{Jobs: c.Reader, Runs: c.RunReader, Calendars: c.Calendars, Pauses: c.Pauses, Leases: c.Leases}
	return &Catalog{Finder: jobrows.NewFinder(sources), config: c}
}
