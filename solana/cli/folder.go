package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/ledger"
)

// ledgerName is the ledger's folder in a data folder.
const ledgerName = "tasks"

// hasLedger reports whether a node has worked in a folder.
func hasLedger(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, ledgerName))
	return err == nil
}

// ledgerFiles returns the size of the ledger's files in bytes, under the name of their folder.
func ledgerFiles(folder string) map[string]int64 {
	entries, err := os.ReadDir(filepath.Join(folder, ledgerName))
	if err != nil {
		return nil
	}
	size := int64(0)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			size += info.Size()
		}
	}
	return map[string]int64{ledgerName: size}
}

// makeFolder makes the data folder, for its owner only, and checks that this process may write there.
func makeFolder(field, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return job.FieldErrorf(field, "the data folder cannot be made: %w", err)
	}
	probe, err := os.CreateTemp(folder, ".probe-*")
	if errors.Is(err, fs.ErrPermission) {
		return &job.Error{
			Kind: job.Invalid, Field: field, Message: fmt.Sprintf("the data folder %s cannot be written", folder), Hint: "run this as the user who owns it, or name another one", Err: err,
		}
	}
	if err != nil {
		return job.FieldErrorf(field, "the data folder cannot be written: %w", err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// stopped is the ledger of a node that does not run, as an operator changes it.
type stopped struct{ *ledger.Ledger }

// Redrive has dead letters tried again at the node's next start.
func (s stopped) Redrive(ctx context.Context, ids ...ledger.ID) error {
	return s.Ledger.Redrive(ctx, time.Now(), ids...)
}
