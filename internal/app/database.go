package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/postgres"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// database is the store of a server, with the properties of its kind.
type database struct {
	store.Store
	kind string // as the API calls it
	name string // where it is, without a password
	load func() sqlstore.Load
	// size returns its bytes, 0 when they are unknown.
	size func() int64
	// file is that of SQLite; empty for others.
	file string
	// alone is set when no other server can have it open.
	alone bool
	// tell notifies other servers, and listen receives their notifications; nil where that
	// is not possible.
	tell   func(ctx context.Context, words string) error
	listen func(ctx context.Context, heard func(words string)) error
}

// kindSQLite is what the API calls the database in the data folder.
const kindSQLite = "sqlite"

// sizeFor bounds the question after the size of a database.
const sizeFor = time.Second

// openDatabase opens the store that the configuration names: SQLite in the data folder,
// or a database that several servers may share.
func openDatabase(c *Config, hooks sqlstore.Hooks) (*database, error) {
	logger := c.Logger.With("room", "store")
	mark := openHighWater(c.Data, logger)
	hooks.Reserved = mark.reserved
	db, err := openKind(c, hooks, mark, logger)
	if err == nil {
		mark.opened(db.kind)
	}
	return db, err
}

func openKind(c *Config, hooks sqlstore.Hooks, mark *highWater, logger *slog.Logger) (*database, error) {
	if c.Database.IsZero() {
		file := filepath.Join(c.Data, "orth.db")
		db, err := sqlite.Open(file, sqlite.Config{Logger: logger, Hooks: hooks, Floor: mark.floor(), Known: mark.of() == kindSQLite})
		if err != nil {
			return nil, missingDatabase(err, mark.path)
		}
		size := func() int64 { return sizeOf(file) + sizeOf(file+"-wal") }
		return &database{Store: db, kind: kindSQLite, name: file, load: db.Load, size: size, file: file, alone: true}, nil
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		wrong := job.Errorf(job.Unavailable, "the data folder %s cannot be used: %w", c.Data, err)
		wrong.Hint = "give this user the right to write there, or choose another folder"
		return nil, wrong
	}
	address := c.Database.Reveal()
	if mysql.IsAddress(address) {
		db, err := mysql.Open(context.Background(), address, mysql.Config{Logger: logger, Hooks: hooks, Floor: mark.floor()})
		if err != nil {
			return nil, err
		}
		return &database{Store: db, kind: db.Kind(), name: db.Name(), load: db.Load, size: sizeBy(db.Size)}, nil
	}
	db, err := postgres.Open(context.Background(), address, postgres.Config{Logger: logger, Hooks: hooks, Floor: mark.floor()})
	if err != nil {
		return nil, err
	}
	return &database{Store: db, kind: "postgres", name: db.Name(), load: db.Load, size: sizeBy(db.Size), tell: db.Tell, listen: db.Listen}, nil
}

// missingDatabase adds to an error how to start with an empty database.
func missingDatabase(err error, mark string) error {
	if !errors.Is(err, sqlite.ErrGone) {
		return err
	}
	wrong := job.Errorf(job.NotFound, "%w", err)
	wrong.Hint = "put it back, or a copy of it with 'orth restore'; to start with an empty database and the same keys remove " + mark
	return wrong
}

// sizeBy asks a database for its size.
func sizeBy(ask func(context.Context) (int64, error)) func() int64 {
	return func() int64 {
		ctx, cancel := context.WithTimeout(context.Background(), sizeFor)
		defer cancel()
		n, err := ask(ctx)
		if err != nil {
			return 0 // it is away, which other figures show
		}
		return n
	}
}

// checkDatabase refuses an address of a database that Orth does not know. It does not
// repeat the address, which may hold a password.
func (c *Config) checkDatabase() error {
	address := c.Database.Reveal()
	if address == "" || strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") || mysql.IsAddress(address) {
		return nil
	}
	wrong := job.FieldErrorf("db", "the address of the database begins neither with postgres:// nor with mysql:// or mariadb://")
	wrong.Hint = "leave it out for SQLite in the data folder"
	return wrong
}

// lastWrite returns when the file of the database was last written to; the zero time for
// a database that is no file, whose clock was compared at the start.
func (s *Server) lastWrite() (at time.Time) {
	if s.database.file == "" {
		return at
	}
	for _, path := range []string{s.database.file, s.database.file + "-wal"} {
		if info, err := os.Stat(path); err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at
}

// Database returns the address of the database, without a password.
func (s *Server) Database() string { return s.database.name }
