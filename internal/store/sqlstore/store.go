package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"

	"github.com/orthd/orth/job"
)

// Config says which database a Store works on.
type Config struct {
	Dialect Dialect
	// Write is a pool of which one connection is used. The Store owns it.
	Write *sql.DB
	// Read is a pool for reading. The Store owns it.
	Read   *sql.DB
	Limits Limits
	// Logger defaults to none.
	Logger *slog.Logger
	Hooks  Hooks
}

// Limits bound what executors can make by registering.
type Limits struct {
	// Groups is the most groups. Defaults to 10,000.
	Groups int
	// Executors is the most executors with a row: those that are alive, and
	// those that were within a day as long as there is room. Defaults to
	// 100,000.
	Executors int
}

func (l *Limits) defaults() {
	if l.Groups <= 0 {
		l.Groups = 10_000
	}
	if l.Executors <= 0 {
		l.Executors = 100_000
	}
}

// Hooks are called by the writer's goroutine and must return at once.
type Hooks struct {
	// Committed is called after each transaction with the number of
	// operations in it.
	Committed func(operations int)
	// Released is called after a transaction that made runs ready which had
	// waited for others of their job.
	Released func()
}

// Store keeps everything Orth knows in SQL tables. It implements store.Store.
type Store struct {
	config   Config
	writer   *writer
	reader   *reader
	runs     *sequence
	attempts *sequence
	// insertRunOnce is insertRun that leaves out a firing that exists.
	insertRunOnce string
}

// New returns a Store on tables that exist. It takes over both pools, also
// when it returns an error, which is Invalid.
func New(c Config) (*Store, error) {
	if c.Write == nil || c.Read == nil {
		return nil, job.Errorf(job.Invalid, "a store needs a pool to write and a pool to read")
	}
	if err := c.Dialect.defaults(); err != nil {
		return nil, errors.Join(err, c.Write.Close(), c.Read.Close())
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Hooks.Committed == nil {
		c.Hooks.Committed = func(int) {}
	}
	if c.Hooks.Released == nil {
		c.Hooks.Released = func() {}
	}
	c.Limits.defaults()
	s := &Store{config: c}
	s.writer = newWriter(&s.config)
	s.reader = newReader(c.Read, &s.config.Dialect)
	s.runs = newSequence(s.writer, sequenceRuns)
	s.attempts = newSequence(s.writer, sequenceAttempts)
	s.insertRunOnce = c.Dialect.KeepFirst(insertRun, runKey()...)
	return s, nil
}

// Run is the writer's loop: it writes until ctx ends and the writes queued by
// then are done. It runs once.
func (s *Store) Run(ctx context.Context) error { return s.writer.run(ctx) }

// Close closes both pools. Call it after Run has returned.
func (s *Store) Close() error {
	s.reader.close()
	return errors.Join(s.config.Read.Close(), s.config.Write.Close())
}
