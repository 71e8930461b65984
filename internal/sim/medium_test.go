package sim

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/orthd/orth/internal/queue"
	segments "github.com/orthd/orth/internal/queue/journal"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

// medium is what the queue of a machine is kept on. It outlives processes.
type medium interface {
	// open returns the folder for a new process, with what is on the medium.
	open() queue.Disk
	// cut keeps what is in the folder, which no one changes now: the process is dead, the
	// machine goes on.
	cut() error
	// lose takes away some of what was not synced when no process has the folder open: the
	// power goes.
	lose(d *dice)
	// damage changes what is kept while no process has it open, and says what it changed;
	// empty for nothing.
	damage(d *dice) string
}

// segmentBytes is how large files of the queue are: they are cleaned often.
const segmentBytes = 24 << 10

// memory is a medium without files.
type memory struct{ disk, before *mem.Disk }

func (m *memory) open() queue.Disk { return m.disk }

func (m *memory) cut() error {
	m.before, m.disk = m.disk, m.disk.Reopen()
	return nil
}

func (m *memory) lose(d *dice) {
	if m.before != nil {
		m.disk = m.before.Reboot(uint64(d.below(1 << 30)))
	}
}

func (m *memory) damage(*dice) string { return "" }

// files are a medium as real executors have it. Each process gets copies of what the one
// before it has left.
type files struct {
	folder string
	nth    int // of the copies
}

func (f *files) path() string { return filepath.Join(f.folder, fmt.Sprint(f.nth)) }

func (f *files) open() queue.Disk { return queue.Folder(f.path()) }

// cut copies the files as they are. What is not synced is there as well.
func (f *files) cut() error {
	from := f.path()
	f.nth++
	if err := os.CopyFS(f.path(), os.DirFS(from)); err != nil {
		return err
	}
	return os.RemoveAll(from)
}

func (f *files) lose(*dice) {}

func (f *files) damage(d *dice) string {
	entries, err := os.ReadDir(f.path())
	if err != nil || len(entries) == 0 {
		return ""
	}
	name := filepath.Join(f.path(), entries[d.below(len(entries))].Name())
	content, err := os.ReadFile(name)
	if err != nil || len(content) == 0 {
		return ""
	}
	at := d.below(len(content))
	content[at] ^= 1 << d.below(8)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		return ""
	}
	return fmt.Sprintf("byte %d of %s", at, filepath.Base(name))
}

// spindle is the folder of one process: it fails when the weather of the disk is bad, and
// nothing reaches it when the process is dead.
type spindle struct {
	queue.Disk
	bad  func() disk
	dice *dice

	mu   sync.Mutex // held by changes
	gone bool       // guarded by mu
	fuse int        // guarded by mu: how many syncs there are before burn is called; 0 for no end
	burn func()
}

// groove is an open file of a spindle.
type groove struct {
	segments.File
	*spindle
}

// change does something to the folder, or not. mu is taken.
func (s *spindle) change(do func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return job.Errorf(job.Unavailable, "the process is dead")
	}
	return do()
}

// Open opens a file.
func (s *spindle) Open(name string, create bool) (file segments.File, err error) {
	err = s.change(func() error {
		file, err = s.Disk.Open(name, create)
		return err
	})
	if err != nil {
		return nil, err
	}
	return groove{file, s}, nil
}

// Rename gives a file another name.
func (s *spindle) Rename(from, to string) error {
	return s.change(func() error { return s.Disk.Rename(from, to) })
}

// Remove removes a file.
func (s *spindle) Remove(name string) error {
	return s.change(func() error { return s.Disk.Remove(name) })
}

// WriteAt writes, or finds the disk full.
func (g groove) WriteAt(b []byte, at int64) (n int, err error) {
	err = g.change(func() error {
		if g.dice.chance(g.bad().before) {
			return job.Errorf(job.Unavailable, "the disk is full")
		}
		n, err = g.File.WriteAt(b, at)
		return err
	})
	return n, err
}

// Sync makes durable what was written, and may say that it did not.
func (g groove) Sync() error {
	return g.change(func() error {
		if err := g.File.Sync(); err != nil {
			return err
		}
		if g.fuse > 0 {
			if g.fuse--; g.fuse == 0 {
				g.gone = true
				g.burn()
			}
		}
		if g.dice.chance(g.bad().after) {
			return job.Errorf(job.Unavailable, "the disk did not say whether it is durable")
		}
		return nil
	})
}

// halt lets no change through any more, and then calls then.
func (s *spindle) halt(then func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
	then()
}

var (
	_ queue.Disk = (*spindle)(nil)
	_ io.Closer  = groove{}
)
