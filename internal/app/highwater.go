package app

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// highWaterFile is the file in the data folder with the highest reserved numbers, and the
// kind of their database. A database that is behind it was restored from an older state.
const highWaterFile = "high-water.json"

// highWater is above all numbers that this server has reserved.
type highWater struct {
	path   string
	logger *slog.Logger

	mu     sync.Mutex
	failed bool // the last write did; guarded by mu
	known  struct {
		Database string `json:"database"`
		Numbers  int64  `json:"numbers"` // of runs and attempts
	} // guarded by mu
}

// openHighWater reads the file of a data folder. An unreadable file counts as empty.
func openHighWater(data string, logger *slog.Logger) *highWater {
	h := &highWater{path: filepath.Join(data, highWaterFile), logger: logger}
	text, err := os.ReadFile(h.path)
	if err == nil {
		err = json.Unmarshal(text, &h.known)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		logger.Warn("it is not known which numbers were given before", "file", h.path, "error", err)
	}
	return h
}

// of returns which kind of database had the numbers; empty when there was none.
func (h *highWater) of() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known.Database
}

func (h *highWater) floor() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known.Numbers
}

// opened notes which kind of database is used from now on.
func (h *highWater) opened(kind string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known.Database != kind {
		h.known.Database = kind
		h.write()
	}
}

// reserved records numbers before they are used. A write error is logged once: the numbers
// are used all the same, because a full disk must not stop the runs.
func (h *highWater) reserved(next int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known.Numbers = max(h.known.Numbers, next)
	h.write()
}

// write replaces the file. mu is held.
func (h *highWater) write() {
	text, err := json.Marshal(h.known)
	if err == nil {
		err = writeSynced(h.path+".new", append(text, '\n'))
	}
	if err == nil {
		err = os.Rename(h.path+".new", h.path)
	}
	if err != nil && !h.failed {
		h.logger.Error("which numbers were given cannot be noted; a database that goes back may not be noticed", "file", h.path, "error", err)
	}
	h.failed = err != nil
}

// writeSynced writes a file of the owner's that is whole after a power cut.
func writeSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}
