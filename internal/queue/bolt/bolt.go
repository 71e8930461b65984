// Package bolt keeps a queue in one bbolt file.
//
// It knows the file: its lock, its pages, how it is synced, copied and saved
// when damaged. It must never know items or queues. Transactions of
// internal/queue come in; durable commits and snapshots go out.
//
// A commit is two fdatasyncs. The list of free pages is not stored, which
// saves writes and is rebuilt when the file is opened. Before that, every page
// is checked, because the engine itself does not survive a damaged one: such a
// file is set aside and what can be read goes into a fresh one, see
// [Backend.SetAside].
package bolt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

const (
	fileMode = 0o600
	// mapSize is reserved address space. A map that is large enough is not
	// moved, so readers do not hold up the writer.
	mapSize = 256 << 20
)

// Config is what a [Backend] needs beside its path.
type Config struct {
	// LockWait is how long Open waits for another process to let go of the
	// file. Defaults to one second.
	LockWait time.Duration
	// Logger hears of a damaged file. Defaults to none.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.LockWait <= 0 {
		c.LockWait = time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// Backend is a queue back end in a file. Its methods may be called from any
// goroutine.
type Backend struct {
	db       *bbolt.DB
	setAside string
	broken   atomic.Bool // a page could not be read: the engine's state is unknown
	doubt    atomic.Bool // a commit failed: what the file shows may not be on the disk
}

// Open opens or creates the file, whose folder must exist, and locks it. A
// file in use by another process is job.Conflict. A damaged file is renamed to
// <name>.damaged-<unix time> and replaced by a fresh one with every row that
// can still be read.
func Open(path string, c Config) (*Backend, error) {
	c = c.withDefaults()
	if err := finishRescue(path); err != nil {
		return nil, fmt.Errorf("open queue file %s: %w", path, err)
	}
	damage, err := inspectLocked(path, c.LockWait)
	if err != nil {
		return nil, err
	}
	b := &Backend{}
	if damage == nil {
		switch b.db, err = openFile(path, c.LockWait); {
		case err == nil:
			return b, nil
		case !errors.As(err, new(pageError)):
			return nil, err
		}
		damage = err // the engine knows better; its half-open file is left behind
	}
	saved, err := rescue(path, c)
	if err != nil {
		return nil, fmt.Errorf("set damaged queue file %s aside: %w", path, err)
	}
	c.Logger.Error("queue_file_damaged", "file", path, "set_aside_as", saved.aside,
		"rows_saved", saved.rows, "error", damage)
	b.setAside = saved.aside
	if b.db, err = openFile(path, c.LockWait); err != nil {
		return nil, err
	}
	return b, nil
}

// openFile opens a file that is whole or absent.
func openFile(path string, wait time.Duration) (*bbolt.DB, error) {
	options := &bbolt.Options{
		Timeout:        wait,
		NoFreelistSync: true,
		FreelistType:   bbolt.FreelistMapType,
		NoStatistics:   true,
	}
	if runtime.GOOS != "windows" { // where reserving makes the file that large
		options.InitialMmapSize = mapSize
	}
	var db *bbolt.DB
	err := guard(func(inside *bool) (err error) {
		*inside = true
		db, err = bbolt.Open(path, fileMode, options)
		return err
	})
	return db, openError(path, err)
}

// inspectLocked checks every page of the file while no other process has it.
// damage is nil for a file that is whole, empty or absent.
func inspectLocked(path string, wait time.Duration) (damage, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("open queue file: %w", err)
	case !info.Mode().IsRegular():
		return nil, job.Errorf(job.Conflict, "queue file %s is not a file", path)
	case info.Size() == 0:
		return nil, nil
	}
	// Reading does not yet trust the pages, and holds a lock that excludes a
	// writer.
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{Timeout: wait, ReadOnly: true})
	if err == nil {
		defer func() { _ = db.Close() }() // it was only read
	} else if lockOrFile(err) {
		return nil, openError(path, err)
	}
	damage, _, err = walkFile(path, nil)
	if err != nil {
		return nil, fmt.Errorf("check queue file %s: %w", path, err)
	}
	return damage, nil
}

// lockOrFile reports whether err says nothing about the file's content.
func lockOrFile(err error) bool {
	var path *fs.PathError
	return errors.Is(err, berrors.ErrTimeout) || errors.As(err, &path)
}

func openError(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, berrors.ErrTimeout):
		return &job.Error{
			Kind:    job.Conflict,
			Message: fmt.Sprintf("queue file %s is in use: another executor uses this folder", path),
			Hint:    "stop the other one, or give each executor a folder of its own",
		}
	}
	return fmt.Errorf("open queue file %s: %w", path, err)
}

// SetAside returns where Open left a damaged file, or "" when there was none.
// Nothing removes it.
func (b *Backend) SetAside() string { return b.setAside }

// Update runs fn in a transaction and commits it to the disk.
func (b *Backend) Update(fn func(queue.Txn) error) error {
	return b.within(true, fn)
}

// View runs fn on a snapshot.
func (b *Backend) View(fn func(queue.Txn) error) error {
	return b.within(false, fn)
}

// within runs fn in a transaction. The engine's own managed transactions will
// not do: after a fault they read all pages again, in a goroutine of their own
// where a second fault ends the process.
func (b *Backend) within(writable bool, fn func(queue.Txn) error) error {
	return b.guard(func(inside *bool) error {
		*inside = true
		if writable && b.doubt.Load() {
			if err := b.db.Sync(); err != nil {
				return err
			}
			b.doubt.Store(false)
		}
		tx, err := b.db.Begin(writable)
		if err != nil {
			return err
		}
		*inside = false
		ended := false
		defer func() {
			if !ended && !*inside { // a panic of fn
				_ = tx.Rollback()
			}
		}()
		err = fn(newTxn(tx, inside))
		ended = true
		if *inside { // fn has recovered from a panic of the engine
			return errPage("the transaction broke off")
		}
		*inside = true
		if err == nil && writable {
			err = tx.Commit()
			b.doubt.Store(err != nil)
			return err
		}
		if undone := tx.Rollback(); err == nil {
			err = undone
		}
		return err
	})
}

// Backup writes a copy of the file as it is at this moment. A long one lets
// the file grow, because the pages it copies cannot be used again meanwhile.
func (b *Backend) Backup(w io.Writer) error {
	return b.guard(func(inside *bool) error {
		*inside = true
		return b.db.View(func(tx *bbolt.Tx) error {
			_, err := tx.WriteTo(w)
			return err
		})
	})
}

// Close waits for running transactions and unlocks the file.
func (b *Backend) Close() error {
	if b.broken.Load() {
		return job.Errorf(job.Unavailable, "a page of the queue file cannot be read: the process must end to let go of it")
	}
	return b.db.Close()
}

// guard runs fn unless a page was found unreadable before.
func (b *Backend) guard(fn func(inside *bool) error) error {
	if b.broken.Load() {
		return errPage("restart to have the file checked and saved")
	}
	err := guard(fn)
	if errors.As(err, new(pageError)) {
		b.broken.Store(true)
	}
	return err
}

// pageError is a panic of the engine, or a fault of the memory map, turned
// into an error.
type pageError struct{ cause string }

func (e pageError) Error() string { return "a page cannot be read: " + e.cause }

func errPage(cause string) error { return pageError{cause} }

// guard turns panics and faults of the engine into errors. inside tells them
// from those of a caller's function, which go on.
func guard(fn func(inside *bool) error) (err error) {
	inside := false
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if !inside {
			return
		}
		if p := recover(); p != nil {
			err = errPage(fmt.Sprint(p))
		}
	}()
	err = fn(&inside)
	return err
}
