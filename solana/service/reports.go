package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/solana/ledger"
)

// Report is an execution that ended, as the ledger keeps it until it is delivered.
type Report struct {
	Settlement

	// Number is the report's own, to be handed to [Service.Reported].
	Number uint64
	// At is when the execution ended, to the millisecond.
	At time.Time
	// Unknown: a newer version wrote it, and only Number and At are known.
	Unknown bool
}

// reportVersion is the first byte of a report; JSON follows.
const reportVersion = 1

// Record is the settlement as a ledger keeps it.
func (d *Settlement) Record() ([]byte, error) {
	text, err := json.Marshal(d) //nolint:musttag // its fields have their own names, see TestReportRecord
	if err != nil {
		return nil, fmt.Errorf("write a report: %w", err)
	}
	return append([]byte{reportVersion}, text...), nil
}

// report is a settlement as the ledger keeps it, nil when it keeps none.
func (s *Service) report(done *Settlement) []byte {
	if !s.ledger.Reporting() {
		return nil
	}
	text, err := done.Record()
	if err != nil {
		s.config.Logger.Error("an execution that ended is not reported", "task", done.Task.String(), "error", err)
	}
	return text
}

func decodeReport(body []byte, done *Settlement) error {
	if len(body) == 0 || body[0] != reportVersion {
		return errors.New("the report was written by a newer version")
	}
	if err := json.Unmarshal(body[1:], done); err != nil { //nolint:musttag // likewise
		return fmt.Errorf("read a report: %w", err)
	}
	return nil
}

// ReportsOf returns up to limit executions that ended, the oldest first, as a ledger keeps
// them: those behind a number; zero: all undelivered ones. There are none unless the ledger
// keeps reports. They are there until they are [ledger.Ledger.Reported], also after a
// crash.
func ReportsOf(ctx context.Context, l *ledger.Ledger, after uint64, limit int) ([]Report, error) {
	kept, err := l.Reports(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	all := make([]Report, len(kept))
	for i, k := range kept {
		all[i] = Report{Number: k.Number, At: k.At}
		if err := decodeReport(k.Body, &all[i].Settlement); err != nil {
			all[i].Settlement, all[i].Unknown = Settlement{}, true
		}
	}
	return all, nil
}

// Reports are those of the service's ledger, as [ReportsOf] has them.
func (s *Service) Reports(ctx context.Context, after uint64, limit int) ([]Report, error) {
	return ReportsOf(ctx, s.ledger, after, limit)
}

// Reported removes delivered reports: they are kept no longer.
func (s *Service) Reported(ctx context.Context, numbers ...uint64) error {
	return s.ledger.Reported(ctx, numbers...)
}
