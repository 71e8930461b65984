package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/job"
)

const dayLayout = "2006-01-02"

// Modes of what is created: the owner writes, its group may read.
const (
	dirMode  = 0o750
	fileMode = 0o640
)

// Log is a run log that is being written.
type Log interface {
	io.WriteCloser
	// Whole returns all text of a log that is closed, if it fits in an outcome
	// ([job.MaxOutcomeLog]), has never left memory, and nothing of it was lost; empty
	// otherwise.
	Whole() string
}

// Logs is a folder of run logs. Its methods may be called by many goroutines.
// One process owns a folder at a time.
//
// Locks are taken in the order of these fields: days, the mu of a writer, mu;
// and the locks of packs last.
type Logs struct {
	root   *os.Root
	config Config
	packs  *packs
	meter  meter
	minute atomic.Pointer[minute]

	// days is held for reading while a log is created and for writing while a
	// day is taken away, so that no log is created in a folder on its way out.
	days sync.RWMutex

	mu   sync.Mutex
	open map[string]*writer // guarded by mu: logs being written, by path

	sweeper  sweeper
	buffers  sync.Pool  // *bytes.Buffer: what was read of a file
	scanning sync.Mutex // held by the one goroutine that rebuilds an index
	saving   sync.Mutex // held while an index file is replaced
}

// Open opens the folder and creates it when it is missing. Nothing outside it
// is ever touched, whatever links it holds. The caller closes it after the last
// writer.
func Open(dir string, c Config) (*Logs, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("run logs: %w", err)
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return nil, fmt.Errorf("create the folder of the run logs: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder of the run logs: %w", err)
	}
	l := &Logs{root: root, config: c, packs: newPacks(root), open: make(map[string]*writer)}
	l.sweeper.logs = l
	l.buffers.New = func() any { return new(bytes.Buffer) }
	return l, nil
}

// Close completes the packs and closes the folder. Logs still being written get
// their own files and stay writable.
func (l *Logs) Close() error {
	l.sweeper.stop()
	var errs []error
	for _, w := range l.writers() {
		errs = append(errs, w.settle())
	}
	if err := errors.Join(append(errs, l.packs.close(), l.root.Close())...); err != nil {
		return fmt.Errorf("close the run logs: %w", err)
	}
	return nil
}

// Create begins the log of an attempt, or goes on with the one that is there. at is when
// the attempt was triggered; it names the day. The writer is safe for many goroutines: each
// Write stays in one piece, and lines are in the order of the calls. What is written can be
// read at once; the package comment states what a crash of the process may lose. A Write
// beyond the log's limit reports success and is dropped, after a mark in the log.
//
// Create returns a [job.Conflict] error while the log is already being written.
func (l *Logs) Create(attempt int64, at time.Time) (Log, error) {
	if attempt < 1 {
		return nil, job.Errorf(job.Invalid, "run log: attempt %d is not positive", attempt)
	}
	l.days.RLock()
	defer l.days.RUnlock()
	path := l.pathOf(attempt, at)
	w := &writer{logs: l, path: path, attempt: attempt, at: at}
	w.mu.Lock() // readers that find it wait until it is complete
	defer w.mu.Unlock()
	if !l.claim(path, w) {
		return nil, job.Errorf(job.Conflict, "run log: the log of attempt %d is being written already", attempt)
	}
	if err := w.openLog(); err != nil {
		l.release(path)
		w.closed = true
		return nil, fmt.Errorf("create the run log of attempt %d: %w", attempt, err)
	}
	return w, nil
}

func (l *Logs) claim(path string, w *writer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[path] != nil {
		return false
	}
	l.open[path] = w
	return true
}

func (l *Logs) release(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, path)
}

func (l *Logs) writing(path string) *writer {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[path]
}

func (l *Logs) writers() []*writer {
	l.mu.Lock()
	defer l.mu.Unlock()
	writers := make([]*writer, 0, len(l.open))
	for _, w := range l.open {
		writers = append(writers, w)
	}
	return writers
}

func (l *Logs) pathOf(attempt int64, at time.Time) string {
	b := make([]byte, 0, 48)
	b = append(b, l.dayText(at)...)
	b = append(b, '/')
	b = strconv.AppendInt(b, attempt, 10)
	return string(append(b, ".log"...))
}

// minute is the day of the instants of one minute, which no day divides.
type minute struct {
	number int64 // since 1970
	day    string
}

// dayText returns the day of an instant. Most instants are of the minute that was
// asked for last.
func (l *Logs) dayText(at time.Time) string {
	number := at.Unix() / 60
	if m := l.minute.Load(); m != nil && m.number == number {
		return m.day
	}
	m := &minute{number, at.In(l.config.Zone).Format(dayLayout)}
	l.minute.Store(m)
	return m.day
}

// dayOf returns the day of a path.
func dayOf(path string) string { return path[:len(dayLayout)] }

// source is where a log is read, and what is known of it.
type source struct {
	io.ReaderAt
	path   string
	file   *os.File // nil: in memory
	writer *writer  // nil: it has no writer
	size   int64    // how far it may be read by bytes
	limit  int64    // how far it may be read by lines
	lines  int64    // lines up to limit, while it is written
}

func (s *source) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// source finds a log: in memory while it is written, then in its own file, then
// in a pack.
func (l *Logs) source(attempt int64, path string) (*source, error) {
	for {
		if w := l.writing(path); w != nil {
			s, err := w.source()
			if err != nil {
				return nil, err
			}
			if s == nil {
				continue // it was closed just now
			}
			return s, nil
		}
		if l.packs.fileless(dayOf(path), attempt) {
			return l.packed(attempt, path)
		}
		file, err := l.root.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return l.packed(attempt, path)
		}
		if err != nil {
			return nil, err
		}
		if l.writing(path) != nil {
			file.Close() // it was begun just now
			continue
		}
		info, err := file.Stat()
		if err != nil {
			file.Close()
			return nil, err
		}
		return &source{ReaderAt: file, path: path, file: file, size: info.Size(), limit: info.Size()}, nil
	}
}

func (l *Logs) packed(attempt int64, path string) (*source, error) {
	text, found, err := l.packs.findText(dayOf(path), attempt)
	if err == nil && !found {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	size := int64(len(text))
	return &source{ReaderAt: bytes.NewReader(text), path: path, size: size, limit: size}, nil
}
