package runlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

const dayLayout = "2006-01-02"

// Modes of what is created: the owner writes, its group may read.
const (
	dirMode  = 0o750
	fileMode = 0o640
)

// Logs is a folder of run logs. Its methods may be called by many goroutines.
// One process owns a folder at a time.
type Logs struct {
	root   *os.Root
	config Config

	// days is held for reading while a log is created and for writing while a
	// day is taken away, so that no log is created in a folder on its way out.
	days sync.RWMutex

	mu   sync.Mutex
	open map[string]*writer // guarded by mu: logs being written, by path

	scanning sync.Mutex // held by the one goroutine that makes an index anew
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
	return &Logs{root: root, config: c, open: make(map[string]*writer)}, nil
}

// Close closes the folder. Logs still being written stay writable.
func (l *Logs) Close() error { return l.root.Close() }

// Create opens the log of an attempt for appending, and creates it when it is
// missing. at is when the attempt was triggered; it names the day. The writer
// is safe for many goroutines: each Write stays in one piece, and lines are in
// the order of the calls. What is written can be read at once. A Write beyond
// the log's limit reports success and is dropped, after a mark in the log.
//
// The result is an interface so that Logs fits its users as it is. Create
// returns a [job.Conflict] error while the log is already being written.
func (l *Logs) Create(attempt int64, at time.Time) (io.WriteCloser, error) {
	if attempt < 1 {
		return nil, job.Errorf(job.Invalid, "run log: attempt %d is not positive", attempt)
	}
	l.days.RLock()
	defer l.days.RUnlock()
	path := l.path(attempt, at)
	w := &writer{logs: l, path: path}
	w.mu.Lock() // readers that find it wait until it is complete
	defer w.mu.Unlock()
	if !l.claim(path, w) {
		return nil, job.Errorf(job.Conflict, "run log: the log of attempt %d is being written already", attempt)
	}
	if err := w.open(); err != nil {
		l.release(path)
		w.closed = true
		return nil, fmt.Errorf("create the run log of attempt %d: %w", attempt, err)
	}
	return w, nil
}

// Exists reports whether the attempt has a log, or may have one that cannot be
// reached. The neighbouring days count too: the zone may have changed since.
func (l *Logs) Exists(attempt int64, at time.Time) bool {
	for _, days := range []int{0, -1, 1} {
		_, err := l.root.Stat(l.path(attempt, at.AddDate(0, 0, days)))
		if !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
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

func (l *Logs) day(at time.Time) string { return at.In(l.config.Zone).Format(dayLayout) }

func (l *Logs) path(attempt int64, at time.Time) string {
	return l.day(at) + "/" + strconv.FormatInt(attempt, 10) + ".log"
}

// openAppend opens path for appending and makes its day's folder when that is
// missing.
func (l *Logs) openAppend(path string) (*os.File, error) {
	const flags = os.O_CREATE | os.O_RDWR | os.O_APPEND
	file, err := l.root.OpenFile(path, flags, fileMode)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	err = l.root.Mkdir(path[:len(dayLayout)], dirMode)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return l.root.OpenFile(path, flags, fileMode)
}
