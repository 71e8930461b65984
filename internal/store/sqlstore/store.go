package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/internal/redact"
	"github.com/orthd/orth/job"
)

// Config describes the database of a Store.
type Config struct {
	Dialect Dialect
	// Write makes the writer's connections. The Store owns it.
	Write Connector
	// Read is a pool for reading. The Store owns it.
	Read   *sql.DB
	Limits Limits
	// Floor is above all ids of runs and attempts that are known to have been given; 0, the
	// default, where nothing is known.
	Floor int64
	// Logger defaults to none.
	Logger *slog.Logger
	Hooks  Hooks
}

// Limits bound what executors can make by registering, and what is kept of jobs as
// they were.
type Limits struct {
	// Groups is the most groups. Defaults to 10,000.
	Groups int
	// Executors is the most executors with a row: those that are alive, and
	// those that were within a day as long as there is room. Defaults to
	// 100,000.
	Executors int
	// Revisions is the most revisions of a job. Defaults to 1,000. The newest 100 are
	// kept however old they are, the others for RevisionsFor, which defaults to 90 days.
	Revisions    int
	RevisionsFor time.Duration
}

func (l *Limits) defaults() {
	if l.Groups <= 0 {
		l.Groups = 10_000
	}
	if l.Executors <= 0 {
		l.Executors = 100_000
	}
	if l.Revisions <= 0 {
		l.Revisions = 1_000
	}
	if l.RevisionsFor <= 0 {
		l.RevisionsFor = 90 * 24 * time.Hour
	}
}

// Hooks are called by the writer's goroutine, unless they document another one, and must
// return at once.
type Hooks struct {
	// Committed is called after each transaction with the number of operations in
	// it, how long it took from its beginning to the end of its commit, and why it
	// failed as a whole, or its only operation did.
	Committed func(operations int, took time.Duration, err error)
	// Released is called after a transaction that made runs ready which had
	// waited for others of their job.
	Released func()
	// Told is called after a transaction that wrote events for alarms.
	Told func()
	// Changed is called after a transaction that changed runs, jobs or alarms, with its
	// changes, in order. It must not keep the slice. Defaults to no call.
	Changed func(changes []event.Change)
	// Watched is called within a transaction that has changed runs, jobs or alarms. It
	// returns whether another server watches that must find the changes in the database,
	// and since when. Defaults to no watcher.
	Watched func() (since time.Time, yes bool)
	// Audited is called after a transaction with the lines of the audit that it has
	// written, in their order. The callee keeps them.
	Audited func(lines []audit.Line)
	// Wanted is called within a transaction. It returns whether an event about a run that
	// was skipped, or a firing that was left out, is to be written. It must not keep the
	// event, and returns true when it cannot decide. Defaults to writing none.
	Wanted func(e *alarm.Event) bool
	// Reserved is called, on the goroutine that draws an id of a run or an attempt, before
	// the first id of a block is given: with the end of the block.
	Reserved func(next int64)
	// Timed is called on the goroutine that reads events. It returns whether a rule
	// compares an attempt with those before it. Defaults to false.
	Timed func(e *alarm.Event) bool
}

// Store keeps everything Orth knows in SQL tables. It implements store.Store.
type Store struct {
	config Config
	writer *writer
	reader *reader
	mask   *redact.Mask // of the objects that the audit sees
	runs   *sequence    // of attempts too
	// insertRunOnce is insertRun that leaves out a firing that exists, and insertPastOnce
	// insertPast.
	insertRunOnce  string
	insertPastOnce string
	insertRunsOnce batch
	// insertLogsOnce is insertLog that leaves out the log of an attempt that has one.
	insertLogsOnce batch
}

// New returns a Store on tables that exist. It takes over both, also
// when it returns an error, which is Invalid.
func New(c Config) (*Store, error) {
	if c.Write == nil || c.Read == nil {
		return nil, job.Errorf(job.Invalid, "a store needs a connector to write and a pool to read")
	}
	if err := c.Dialect.defaults(); err != nil {
		return nil, errors.Join(err, c.Write.Close(), c.Read.Close())
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Hooks.Committed == nil {
		c.Hooks.Committed = func(int, time.Duration, error) {}
	}
	if c.Hooks.Released == nil {
		c.Hooks.Released = func() {}
	}
	if c.Hooks.Told == nil {
		c.Hooks.Told = func() {}
	}
	if c.Hooks.Changed == nil {
		c.Hooks.Changed = func([]event.Change) {}
	}
	if c.Hooks.Watched == nil {
		c.Hooks.Watched = func() (time.Time, bool) { return time.Time{}, false }
	}
	if c.Hooks.Audited == nil {
		c.Hooks.Audited = func([]audit.Line) {}
	}
	if c.Hooks.Reserved == nil {
		c.Hooks.Reserved = func(int64) {}
	}
	if c.Hooks.Timed == nil {
		c.Hooks.Timed = func(*alarm.Event) bool { return false }
	}
	c.Limits.defaults()
	s := &Store{config: c}
	s.writer = newWriter(&s.config)
	s.mask = s.writer.session.mask
	s.reader = newReader(c.Read, &s.config.Dialect)
	s.runs = newSequence(s.writer, sequenceRuns, c.Floor, c.Hooks.Reserved)
	s.insertRunOnce = c.Dialect.KeepFirst(insertRun, runKey()...)
	s.insertRunsOnce = batch{query: s.insertRunOnce, kinds: "iiiiitittiittiiiitiitiiti"}
	s.insertLogsOnce = batch{query: c.Dialect.KeepFirst(insertLog, "attempt_id"), kinds: "iiiitiiiiiittt"}
	s.insertPastOnce = c.Dialect.KeepFirst(insertPast, runKey()...)
	return s, nil
}

// Run is the writer's loop: it writes until ctx ends and the writes queued by then are
// done. It also folds counts into the statistics, on a second goroutine. It runs once.
func (s *Store) Run(ctx context.Context) error {
	folding, stop := context.WithCancel(ctx)
	var loops sync.WaitGroup
	loops.Go(func() { s.foldLoop(folding) })
	err := s.writer.run(ctx)
	stop()
	loops.Wait()
	return err
}

// Close closes all connections. Call it after Run has returned.
func (s *Store) Close() error {
	s.reader.close()
	return errors.Join(s.config.Read.Close(), s.config.Write.Close())
}
