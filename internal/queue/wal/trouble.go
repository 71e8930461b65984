package wal

import (
	"log/slog"
	"sync/atomic"
)

// trouble logs the first failure in a row, and its end: a full disk fails every
// commit.
type trouble struct {
	what string
	told atomic.Bool
}

func (t *trouble) fails(log *slog.Logger, err error) {
	if t.told.CompareAndSwap(false, true) {
		log.Error("queue_log_failed", "step", t.what, "error", err)
	}
}

func (t *trouble) works(log *slog.Logger) {
	if t.told.Load() && t.told.CompareAndSwap(true, false) {
		log.Info("queue_log_works_again", "step", t.what)
	}
}
