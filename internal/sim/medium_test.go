package sim

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/bolt"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/internal/queue/wal"
	"github.com/orthd/orth/job"
)

// medium is what the queue of a machine is kept on. It outlives processes.
type medium interface {
	// open returns the back end for a new process, with what is on the medium.
	open() (queue.Backend, error)
	// cut keeps what the back end, which commits nothing now, has made durable: the
	// power goes, or the process.
	cut(of queue.Backend) error
	// damage changes what is kept while no process has it open, and says what it changed;
	// empty for nothing.
	damage(d *dice) string
}

// errUndecided is a commit that nobody knows the fate of.
var errUndecided = errors.New("the disk did not say whether the commit is durable")

// memory is a medium without files. A commit of unknown fate is there after the next one, or
// after a restart, or not.
type memory struct {
	dice      *dice
	disk      *mem.Backend
	undecided *mem.Backend // nil for none
}

func (m *memory) open() (queue.Backend, error) {
	m.disk = m.disk.Reopen()
	return &undecided{of: m, at: m.disk}, nil
}

func (m *memory) cut(queue.Backend) error {
	if m.undecided != nil && m.dice.chance(0.5) {
		m.disk = m.undecided
	}
	m.undecided = nil
	return nil
}

func (m *memory) damage(*dice) string { return "" }

// undecided is a back end whose commits may have an unknown fate.
type undecided struct {
	of *memory

	mu sync.Mutex
	at *mem.Backend // guarded by mu
}

func (b *undecided) current() *mem.Backend {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

// Update commits. It first decides what was undecided.
func (b *undecided) Update(fn func(queue.Txn) error) error {
	if kept := b.of.undecided; kept != nil {
		b.of.undecided = nil
		if b.of.dice.chance(0.5) {
			b.mu.Lock()
			b.at, b.of.disk = kept, kept
			b.mu.Unlock()
		}
	}
	return b.current().Update(fn)
}

// View reads.
func (b *undecided) View(fn func(queue.Txn) error) error { return b.current().View(fn) }

// Close leaves the medium as it is.
func (b *undecided) Close() error { return nil }

// doubt commits, and nobody knows whether it did.
func (b *undecided) doubt(fn func(queue.Txn) error) error {
	if b.of.undecided != nil {
		return errUndecided // still
	}
	beside := b.current().Reopen()
	if err := beside.Update(fn); err != nil {
		return err
	}
	b.of.undecided = beside
	return errUndecided
}

// files are a medium as real executors have it: a log in front of a database file. Each
// process gets copies of what the one before it has left.
type files struct {
	folder string
	nth    int // of the copies
}

// The names of the files, and how small the log is: it is written back often.
const (
	databaseFile = "queue.db"
	logFile      = "queue.log"
	logBytes     = 24 << 10
	damaged      = 40 // bytes from the beginning that are left alone: newer versions are refused
)

func (f *files) path(name string) string {
	return filepath.Join(f.folder, fmt.Sprint(f.nth), name)
}

func (f *files) open() (queue.Backend, error) {
	if err := os.MkdirAll(f.path(""), 0o700); err != nil {
		return nil, err
	}
	inner, err := bolt.Open(f.path(databaseFile), bolt.Config{})
	if err != nil {
		return nil, err
	}
	log, err := wal.Open(f.path(logFile), inner, wal.Config{Overlay: logBytes, LogBytes: logBytes})
	if err != nil {
		return nil, errors.Join(err, inner.Close())
	}
	return log, nil
}

// cut copies the files as they are. The log comes first: what is written back from it
// meanwhile is in both then. Its pages that are not synced are there as well: a process dies,
// the machine goes on.
func (f *files) cut(of queue.Backend) error {
	from := f.path("")
	f.nth++
	if err := os.MkdirAll(f.path(""), 0o700); err != nil {
		return err
	}
	for _, name := range []string{logFile, logFile + "2", databaseFile} {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if name != databaseFile {
			content = bytes.TrimRight(content, "\x00") // it is long and empty
		}
		if err := os.WriteFile(f.path(name), content, 0o600); err != nil {
			return err
		}
	}
	if err := of.Close(); err != nil { // writes into the old files
		return err
	}
	return os.RemoveAll(from)
}

func (f *files) damage(d *dice) string {
	name := []string{logFile, logFile + "2", databaseFile}[d.below(3)]
	content, err := os.ReadFile(f.path(name))
	if err != nil || len(content) <= damaged {
		return ""
	}
	at := damaged + d.below(len(content)-damaged)
	content[at] ^= 1 << d.below(8)
	if err := os.WriteFile(f.path(name), content, 0o600); err != nil {
		return ""
	}
	return fmt.Sprintf("byte %d of %s", at, name)
}

// spindle is the back end of one process: it fails when the weather of the disk is bad, and
// nothing reaches it when the process is dead.
type spindle struct {
	queue.Backend
	bad  func() disk
	dice *dice

	mu   sync.Mutex // held by commits
	gone bool       // guarded by mu
	fuse int        // guarded by mu: how many commits there are before burn is called; 0 for no end
	burn func()
}

// Update commits, or fails before that or after it.
func (s *spindle) Update(fn func(queue.Txn) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return job.Errorf(job.Unavailable, "the process is dead")
	}
	bad := s.bad()
	if s.dice.chance(bad.before) {
		return job.Errorf(job.Unavailable, "the disk is full")
	}
	if u, ok := s.Backend.(*undecided); ok && s.dice.chance(bad.after) {
		return u.doubt(fn)
	}
	err := s.Backend.Update(fn)
	if err == nil && s.fuse > 0 {
		if s.fuse--; s.fuse == 0 {
			s.gone = true
			s.burn()
		}
	}
	return err
}

// View reads.
func (s *spindle) View(fn func(queue.Txn) error) error {
	return s.Backend.View(fn)
}

// Close leaves the medium as it is: see halt.
func (s *spindle) Close() error { return nil }

// halt lets no commit through any more, and then calls then.
func (s *spindle) halt(then func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
	then()
}
