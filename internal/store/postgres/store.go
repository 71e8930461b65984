package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
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

	// through changes how the writer reaches the database; nil for nothing.
	through func(sqlstore.Connector) sqlstore.Connector
	// expectAfter is how many times in a row all rows of a statement have to take effect before
	// that is assumed. Defaults to 8.
	expectAfter int
}

// Store is a store in a database that other servers may use as well.
type Store struct {
	*sqlstore.Store
	pipes  *connector
	size   *sql.DB
	name   string
	config *pgx.ConnConfig
	logger *slog.Logger
}

// expectAfter is the default of [Config].
const expectAfter = 8

const (
	// dialFor bounds how long a connection takes to be made, unless the address sets that.
	dialFor = 5 * time.Second
	// openFor bounds all of Open but for the steps of the schema.
	openFor = 30 * time.Second
)

// Time limits of the session that writes, in milliseconds: for its turn among the
// writers, for a statement, and for a server that is stopped in the middle of a
// transaction while others wait.
const (
	turnFor      = 10_000
	statementFor = 60_000
	silentFor    = 10_000
)

// Open opens the store in the database of an address, postgres://user@host/database, and
// brings its schema up to date. What the address leaves out comes from libpq's
// environment (PGPASSWORD, PGSSLROOTCERT, …) and password file. Writes work while Run
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
	settings, err := prepare(ctx, base)
	if err != nil {
		return nil, explain(name, err)
	}
	pipes, read := newConnector(base, settings.writer), pool(base, c.Readers, readerSettings())
	write := sqlstore.Connector(pipes)
	if c.through != nil {
		write = c.through(write)
	}
	own := dialect()
	own.Origin = settings.origin
	own.Expects.After = cmp.Or(c.expectAfter, expectAfter)
	if settings.divides {
		own.Divided = &partitions{read: read, base: base}
	}
	inner, err := sqlstore.New(sqlstore.Config{
		Dialect: own, Write: write, Read: read, Limits: c.Limits, Floor: c.Floor, Logger: c.Logger, Hooks: c.Hooks,
	})
	if err != nil {
		return nil, err
	}
	return &Store{Store: inner, pipes: pipes, size: read, name: name, config: base, logger: c.Logger}, nil
}

// Name returns the address of the database, without a password: user@host:port/database.
func (s *Store) Name() string { return s.name }

// Size returns how many bytes the database has on its disk.
func (s *Store) Size(ctx context.Context) (n int64, err error) {
	if err := s.size.QueryRowContext(ctx, "SELECT pg_database_size(current_database())").Scan(&n); err != nil {
		return 0, explain(s.name, err)
	}
	return n, nil
}

// parse reads an address. Its errors have nothing of it, for it may hold a password.
func parse(address string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil || twoAts(address) {
		wrong := job.Errorf(job.Invalid, "the database's address cannot be read")
		wrong.Hint = "it is postgres://user:<password>@host:port/database?sslmode=verify-full, where @, / and % in a password are written %40, %2F and %25; " +
			"files that it or PGSSLROOTCERT, PGSSLCERT and PGSERVICEFILE name must be there"
		return nil, wrong
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = dialFor
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "orth"
	}
	// A connection lost without a FIN or RST is noticed within half a minute.
	dialer := &net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 4}}
	config.DialFunc = dialer.DialContext
	config.AfterConnect = begin(nil)
	return config, nil
}

// twoAts reports whether an address has more than one @ in front of its settings: the
// password contains an unescaped one. The text after it would be taken for a host, looked
// up in the net, and printed.
func twoAts(address string) bool {
	before, _, _ := strings.Cut(address, "?")
	return strings.Contains(before, "://") && strings.Count(before, "@") > 1
}

// nameOf returns where a database is, without a password.
func nameOf(c *pgx.ConnConfig) string {
	host := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	for _, other := range c.Fallbacks {
		if next := net.JoinHostPort(other.Host, strconv.Itoa(int(other.Port))); next != host {
			host += "," + next
			break // the author of the address knows the rest
		}
	}
	return fmt.Sprintf("%s@%s/%s", c.User, host, c.Database)
}

// off is what PostgreSQL calls a setting that is not on.
const off = "off"

// writerSettings are those of the session that writes.
func writerSettings() map[string]string {
	return map[string]string{
		"lock_timeout": strconv.Itoa(turnFor), "statement_timeout": strconv.Itoa(statementFor),
		"idle_in_transaction_session_timeout": strconv.Itoa(silentFor),
		// Every statement of the writer finds its rows by an index, whatever the tables
		// looked like when the database last counted them.
		"plan_cache_mode": "force_generic_plan",
		"enable_seqscan":  off, "enable_hashjoin": off, "enable_mergejoin": off, "jit": off,
	}
}

// readerSettings are those of the sessions that read, and take no writes. Statements are
// written for tables that are joined row by row, each found by an index. Plans are kept, and
// one that was made while tables were small would read all of them for ever.
func readerSettings() map[string]string {
	return map[string]string{
		"statement_timeout": strconv.Itoa(statementFor), "default_transaction_read_only": "on",
		"enable_hashjoin": off, "enable_mergejoin": off, "jit": off,
	}
}

// common are the settings of every session. The role, the database and the address cannot
// override them: a statement sees all that was committed before it, texts are UTF-8, and no
// limit ends a session that waits, or one that changes the schema.
func common() map[string]string {
	return map[string]string{
		"client_encoding": "UTF8", "standard_conforming_strings": "on",
		"default_transaction_isolation": "read committed", "default_transaction_deferrable": off,
		"statement_timeout": "0", "lock_timeout": "0", "idle_in_transaction_session_timeout": "0",
	}
}

// noLimits takes limits away that older databases do not know.
const noLimits = `SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('idle_session_timeout', 'transaction_timeout')`

// begin returns a function that gives a session its settings: those that are common to all
// and the given ones. They are set after the connection is made: a pooler in between
// accepts few before, and target_session_attrs checks before whether it would take writes.
func begin(own map[string]string) pgconn.AfterConnectFunc {
	all := common()
	maps.Copy(all, own)
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&text, "SET %s = '%s'; ", name, all[name])
	}
	text.WriteString(noLimits)
	return func(ctx context.Context, conn *pgconn.PgConn) error {
		if _, err := conn.Exec(ctx, text.String()).ReadAll(); err != nil {
			return fmt.Errorf("set up a session: %w", err)
		}
		return nil
	}
}

// pool opens connections that begin with some settings. They stay open, for each has
// its own prepared statements.
func pool(base *pgx.ConnConfig, size int, settings map[string]string) *sql.DB {
	config := base.Copy()
	config.AfterConnect = begin(settings)
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}

// prepared is what is known of a database that can be used.
type prepared struct {
	// writer are the settings of the session that writes.
	writer map[string]string
	// divides means that its role may make and drop partitions.
	divides bool
	// origin is the query for its history; empty where there is none.
	origin string
}

// prepare looks whether the database can be Orth's and brings its schema up to date.
func prepare(ctx context.Context, base *pgx.ConnConfig) (known prepared, err error) {
	db := pool(base, 2, nil)
	defer func() { _ = db.Close() }()
	looking, cancel := context.WithTimeout(ctx, openFor)
	defer cancel()
	found, err := look(looking, db)
	if err != nil {
		return known, err
	}
	if err := migrate(ctx, db, nameOf(base)); err != nil {
		return known, err
	}
	known.writer = writerSettings()
	if found.unsynced {
		known.writer["synchronous_commit"] = "on" // what is acknowledged is durable
	}
	known.origin = origin
	if err := db.QueryRowContext(ctx, origin).Scan(new(string)); err != nil {
		if _, said := errors.AsType[*pgconn.PgError](err); !said {
			return known, err
		}
		known.origin = "" // a service that forbids the question
	}
	known.divides, err = divides(ctx, db)
	return known, err
}

// origin names the cluster, and its timeline: a promoted standby begins another one. (That of
// the last checkpoint is the old one for a while.)
const origin = `SELECT (SELECT system_identifier FROM pg_control_system()) || ' ' || SUBSTR(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)`
