package service

import (
	"path/filepath"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/solana/ledger"
)

// ledgerFolder is the ledger's files, in the folder of a service.
const ledgerFolder = "tasks"

// OpenLedger opens the ledger in a folder that exists. Another process that has it open is job.Conflict. The caller closes it,
// after the service's Run has returned. A caller that opens it without a service runs it by [ledger.Ledger.Run], at least for
// what writes.
func OpenLedger(folder string, c ledger.Config) (*ledger.Ledger, error) {
	return ledger.Open(queue.Folder(filepath.Join(folder, ledgerFolder)), c)
}
