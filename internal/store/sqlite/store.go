package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// Config is how the file is used.
type Config struct {
	// Readers is the number of connections that read. Defaults to the number
	// of processors, at least 4.
	Readers int
	// MaxPages bounds the file, in pages of 4 KiB; when it is reached, writes
	// are Unavailable. Defaults to no bound.
	MaxPages int
	Limits   sqlstore.Limits
	// Floor is above the numbers of runs and attempts that are known to have been given.
	// Defaults to none.
	Floor int64
	// Known means that the file has held a database of Orth: then Open makes none in its
	// place.
	Known bool
	// Logger defaults to none.
	Logger *slog.Logger
	Hooks  sqlstore.Hooks
}

// Store is a store in a file that no other server can open.
type Store struct {
	*sqlstore.Store
	lock *lock
}

// Open opens the store in the file, which it makes, with its folder, when it
// does not exist, and brings its schema up to date. Writes work while Run runs.
// Kinds: Conflict when another server has it open, Unavailable when the folder
// or the file cannot be used, Invalid when the file is none of Orth's or comes
// from a newer version, Internal when it is damaged or lacks its log. [ErrGone] is NotFound.
func Open(path string, c Config) (*Store, error) {
	if c.Readers <= 0 {
		c.Readers = max(4, runtime.NumCPU())
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, job.Errorf(job.Invalid, "the database's path %q: %w", path, err)
	}
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	lock, err := acquire(path + ".lock")
	if err != nil {
		return nil, err
	}
	inner, err := openStore(path, &c)
	if err != nil {
		return nil, joinErrors(explain(path, err), lock.release())
	}
	return &Store{Store: inner, lock: lock}, nil
}

// Close closes the file and lets others open it. Call it after Run has
// returned.
func (s *Store) Close() error { return errors.Join(s.Store.Close(), s.lock.release()) }

// ErrGone means that a database that was known is missing, or empty.
var ErrGone = errors.New("the database is gone")

func openStore(path string, c *Config) (*sqlstore.Store, error) {
	if err := checkLog(path); err != nil {
		return nil, err
	}
	if c.Known && !exists(path) {
		return nil, job.Errorf(job.NotFound, "%w: there was one in %s, and the file is missing", ErrGone, path)
	}
	if err := makeFile(path); err != nil {
		return nil, err
	}
	write, err := openPool(path, 1, writeSettings(c))
	if err != nil {
		return nil, err
	}
	if c.Known {
		if marked, err := checkDatabase(context.Background(), write, path); err != nil || !marked {
			if err == nil {
				err = job.Errorf(job.NotFound, "%w: there was one in %s, and the file is empty", ErrGone, path)
			}
			return nil, joinErrors(err, write.Close())
		}
	}
	if err := migrate(write, path); err != nil {
		return nil, joinErrors(err, write.Close())
	}
	writer, err := newConnector(path, writeSettings(c))
	if err != nil {
		return nil, joinErrors(err, write.Close())
	}
	if err := write.Close(); err != nil {
		return nil, joinErrors(err, writer.Close())
	}
	read, err := openPool(path, c.Readers, readSettings())
	if err != nil {
		return nil, joinErrors(err, writer.Close())
	}
	return sqlstore.New(sqlstore.Config{
		Dialect: dialect(), Write: writer, Read: read, Limits: c.Limits, Floor: c.Floor, Logger: c.Logger, Hooks: c.Hooks,
	})
}

// checkLog refuses a database whose log is missing: SQLite would take the file for all there
// is, and go back to what it was hours ago. SQLite removes the index of the log before the log,
// so the index is never left alone.
func checkLog(path string) error {
	if !exists(path+"-shm") || exists(path+"-wal") {
		return nil
	}
	wrong := job.Errorf(job.Internal, "the database %s lacks its log: %s-shm is there, and %s-wal is not", path, path, path)
	wrong.Hint = "put the log back, or a copy of the database with 'orth restore'; if both are lost remove " + path +
		"-shm, and the server goes on with what the file has: what was written last is lost"
	return wrong
}

// exists reports whether there is a file, or something that keeps it from being seen.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// joinErrors returns err, with the other one when there is one.
func joinErrors(err, other error) error {
	if other == nil {
		return err
	}
	return errors.Join(err, other)
}

// patience is how long a connection waits for another one, in milliseconds.
const patience = "busy_timeout(5000)"

// writeSettings are those of the connection that writes. The log is moved into
// the file every 32 MiB: each time costs a sync of the file. A cache of 64 MiB makes no
// run cheaper than one of 16: what it lacks is in the memory of the operating system.
func writeSettings(c *Config) []string {
	settings := []string{
		patience, "temp_store(MEMORY)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
		"cache_size(-16384)", "wal_autocheckpoint(8192)", "journal_size_limit(67108864)",
	}
	if c.MaxPages > 0 {
		settings = append(settings, "max_page_count("+strconv.Itoa(c.MaxPages)+")")
	}
	return settings
}

func readSettings() []string {
	return []string{patience, "temp_store(MEMORY)", "cache_size(-8192)", "query_only(1)"}
}

// openPool opens connections to the file. They stay open, for each has its own
// cache and prepared statements.
func openPool(path string, size int, settings []string) (*sql.DB, error) {
	connector, err := connect(path, settings)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// connect returns what makes connections to the file.
func connect(path string, settings []string) (driver.Connector, error) {
	query := url.Values{"_pragma": settings, "_txlock": {"immediate"}, "_error_rc": {"1"}, "_dqs": {"0"}}
	connector, err := sqlite.NewConnector(fileURI(path, query))
	if err != nil {
		return nil, fmt.Errorf("describe the database: %w", err)
	}
	return connector, nil
}

// fileURI names the file as SQLite reads names.
func fileURI(path string, query url.Values) string {
	name := filepath.ToSlash(path)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: name, RawQuery: query.Encode()}).String()
}

// makeFolder makes the folder for its owner alone. One that exists keeps its
// mode.
func makeFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return unusable(folder, err)
	}
	return nil
}

// makeFile makes the file for its owner alone; SQLite gives its other files the
// same mode.
func makeFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return unusable(filepath.Dir(path), err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		err = file.Chmod(0o600)
	}
	if err != nil {
		return unusable(filepath.Dir(path), err)
	}
	return nil
}

func unusable(folder string, err error) error {
	wrong := job.Errorf(job.Unavailable, "the data folder %s cannot be used: %w", folder, err)
	wrong.Hint = "give this user the right to write there, or choose another folder"
	return wrong
}

// explain describes an error of SQLite for the user who starts a server.
func explain(path string, err error) error {
	if _, known := errors.AsType[*job.Error](err); known {
		return err
	}
	var wrong *job.Error
	switch codeOf(err) & 0xff {
	case lib.SQLITE_NOTADB:
		wrong = job.Errorf(job.Invalid, "%s is not a database: %w", path, err)
		wrong.Hint = "move the file away or choose another folder; an empty folder gets a new database"
	case lib.SQLITE_CORRUPT:
		wrong = job.Errorf(job.Internal, "the database %s is damaged: %w", path, err)
		wrong.Hint = "keep a copy of the file and its -wal file, and put a backup in their place"
	case lib.SQLITE_FULL:
		wrong = job.Errorf(job.Unavailable, "there is no room for the database %s: %w", path, err)
		wrong.Hint = "free space on its disk"
	case lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM:
		return unusable(filepath.Dir(path), err)
	default:
		wrong = job.Errorf(job.Unavailable, "open the database %s: %w", path, err)
	}
	return wrong
}
