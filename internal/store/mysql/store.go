package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"log/slog"
	"runtime"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/orthd/orth/internal/store/sqlstore"
)

// Config is how the database is used.
type Config struct {
	// Readers is the number of connections that read. Defaults to the number
	// of processors, at least 4.
	Readers int
	Limits  sqlstore.Limits
	// Floor is above the numbers of runs and attempts that are known to have been given.
	// Defaults to none.
	Floor int64
	// Logger defaults to none.
	Logger *slog.Logger
	Hooks  sqlstore.Hooks

	// through changes how the database is reached; nil for nothing.
	through func(driver.Connector) driver.Connector
}

// Store is a store in a database that other servers may use as well.
type Store struct {
	*sqlstore.Store
	size *sql.DB
	name string
	kind string
}

const (
	// dialFor bounds how long a connection takes to be made, unless the address sets that.
	dialFor = 5 * time.Second
	// openFor bounds all of Open but for the steps of the schema.
	openFor = 30 * time.Second
)

// Open opens the store in the database of an address, mysql://user@host:port/database or
// as the Go driver writes it, and brings its schema up to date. Writes work while Run
// runs. No error and no log has the password. Kinds: Invalid when the address cannot be
// read, the clocks differ, or the database cannot be Orth's or comes from a newer
// version; Unavailable when it cannot be reached or takes no writes.
func Open(ctx context.Context, address string, c Config) (*Store, error) {
	base, err := parse(address)
	if err != nil {
		return nil, err
	}
	if c.Readers <= 0 {
		c.Readers = max(4, runtime.NumCPU())
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	name := nameOf(base)
	found, err := prepare(ctx, base, &c)
	if err != nil {
		return nil, explain(name, err)
	}
	write, err := pool(base, &c, 1, unheardFor, found.forWriter())
	if err != nil {
		return nil, explain(name, err)
	}
	read, err := pool(base, &c, c.Readers, unheardFor, found.forReader())
	if err != nil {
		_ = write.Close() // it has no connection yet
		return nil, explain(name, err)
	}
	own := dialect(&found)
	if found.divides {
		own.Divided = &partitions{read: read, base: base, config: &c, session: &found}
	}
	inner, err := sqlstore.New(sqlstore.Config{
		Dialect: own, Write: sqlstore.Pool(write), Read: read, Limits: c.Limits, Floor: c.Floor, Logger: c.Logger, Hooks: c.Hooks,
	})
	if err != nil {
		return nil, err
	}
	kind := "mysql"
	if found.mariaDB() {
		kind = "mariadb"
	}
	return &Store{Store: inner, size: read, name: name, kind: kind}, nil
}

// Name returns the address of the database, without a password: user@host:port/database.
func (s *Store) Name() string { return s.name }

// Kind returns the kind of the database: mysql or mariadb.
func (s *Store) Kind() string { return s.kind }

const tableSizes = `SELECT CAST(COALESCE(SUM(data_length + index_length), 0) AS SIGNED) FROM information_schema.tables WHERE table_schema = DATABASE()`

// Size returns how many bytes the tables and their indexes have, as the database
// estimates them.
func (s *Store) Size(ctx context.Context) (n int64, err error) {
	if err := s.size.QueryRowContext(ctx, tableSizes).Scan(&n); err != nil {
		return 0, explain(s.name, err)
	}
	return n, nil
}

// prepare looks whether the database can be Orth's and brings its schema up to date. It
// returns what the database is.
func prepare(ctx context.Context, base *mysql.Config, c *Config) (found session, err error) {
	first, err := pool(base, c, 1, openFor, forLook())
	if err != nil {
		return found, err
	}
	defer func() { _ = first.Close() }()
	looking, cancel := context.WithTimeout(ctx, openFor)
	defer cancel()
	if found, err = look(looking, first); err != nil {
		return found, err
	}
	if found.flush != 1 {
		c.Logger.Warn("the database may lose what it has acknowledged when its machine fails: SET GLOBAL innodb_flush_log_at_trx_commit = 1",
			"database", nameOf(base), "innodb_flush_log_at_trx_commit", found.flush)
	}
	db, err := pool(base, c, 2, 0, found.forBuilder())
	if err != nil {
		return found, err
	}
	defer func() { _ = db.Close() }()
	if err := migrate(ctx, db, &found, nameOf(base)); err != nil {
		return found, err
	}
	found.divides, err = divides(ctx, db)
	return found, err
}
