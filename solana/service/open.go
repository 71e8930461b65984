package service

import (
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/orthd/orth/internal/queue/bolt"
	"github.com/orthd/orth/internal/queue/wal"
	"github.com/orthd/orth/solana/ledger"
)

// Files of a ledger in its folder; the log has a second one, of the same name and "2".
const (
	ledgerFile = "tasks.db"
	ledgerLog  = "tasks.log"
)

// OpenLedger opens the ledger in a folder that exists: a file, and a log in front of it that takes the commits. Another process
// that has it open is job.Conflict. The caller closes it, after the service's Run has returned. Who opens it without a service
// runs it by [ledger.Ledger.Run], at least for whatever writes.
func OpenLedger(folder string, c ledger.Config) (*ledger.Ledger, error) {
	logger := c.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	file, err := bolt.Open(filepath.Join(folder, ledgerFile), bolt.Config{Logger: logger})
	if err != nil {
		return nil, err
	}
	log, err := wal.Open(filepath.Join(folder, ledgerLog), file, wal.Config{Logger: logger})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l, err := ledger.Open(log, c)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return l, nil
}
