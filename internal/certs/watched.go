package certs

import (
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

const (
	// lookEvery is the least time between two looks at the files.
	lookEvery = time.Second
	// maxFile bounds a file, in bytes.
	maxFile = 1 << 20
)

// watched is what was read from files, read again when they have changed. What
// cannot be used does not replace what is there: files of a pair are written one
// after the other.
type watched[T any] struct {
	paths  []string
	read   func() (T, error)
	logger *slog.Logger

	mu       sync.Mutex
	value    T             // guarded by mu
	seen     []os.FileInfo // guarded by mu: the files before they were last read; nil for one that is not there
	lookedAt time.Time     // guarded by mu
}

// watch reads the files for the first time.
func watch[T any](logger *slog.Logger, read func() (T, error), paths ...string) (*watched[T], error) {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	w := &watched[T]{paths: paths, read: read, logger: logger, lookedAt: time.Now()}
	w.seen = w.statFiles()
	var err error
	w.value, err = read()
	return w, err
}

// get returns what the files hold, or held when they could last be used.
func (w *watched[T]) get() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.lookedAt) < lookEvery {
		return w.value
	}
	w.lookedAt = time.Now()
	now := w.statFiles() // before the reading: a later change is seen later
	if sameFiles(w.seen, now) {
		return w.value
	}
	w.seen = now
	value, err := w.read()
	if err != nil {
		w.logger.Warn("files of certificates have changed and cannot be used; what they held before goes on", "files", w.paths, "error", err)
		return w.value
	}
	w.value = value
	w.logger.Info("files of certificates were read again", "files", w.paths)
	return w.value
}

func (w *watched[T]) statFiles() []os.FileInfo {
	infos := make([]os.FileInfo, len(w.paths))
	for i, path := range w.paths {
		if info, err := os.Stat(path); err == nil {
			infos[i] = info
		}
	}
	return infos
}

func sameFiles(a, b []os.FileInfo) bool {
	for i := range a {
		if (a[i] == nil) != (b[i] == nil) {
			return false
		}
		if a[i] != nil && (!os.SameFile(a[i], b[i]) || a[i].Size() != b[i].Size() || !a[i].ModTime().Equal(b[i].ModTime())) {
			return false
		}
	}
	return true
}

// readFile reads a file that is not too large.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxFile))
}
