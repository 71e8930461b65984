package ledger

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// Report is the report on an execution that ended.
type Report struct {
	// Number is its own: one that is kept later has a higher one.
	Number uint64
	At     time.Time // when the execution ended, to the millisecond
	Body   []byte    // as it was handed over
}

// reporting is what is counted of reports: which number the next one gets, and how many made room for others.
type reporting struct{ next, dropped uint64 }

// readReports returns what is counted. What cannot be read is as if there were none: numbers that are taken are passed over.
func readReports(tx *queue.Tx) (r reporting) {
	if data, found := tx.Meta(reportsMeta); found && len(data) == 16 {
		r.next, r.dropped = binary.BigEndian.Uint64(data), binary.BigEndian.Uint64(data[8:])
	}
	return r
}

func (r reporting) write(tx *queue.Tx) error {
	return tx.SetMeta(reportsMeta, binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, r.next), r.dropped))
}

// Reporting reports whether reports are kept.
func (l *Ledger) Reporting() bool { return l.config.Reports > 0 }

// Report keeps a report of what ended without a move of its own; [Ledger.Settle] and [Ledger.Bury] keep theirs.
func (l *Ledger) Report(ctx context.Context, now time.Time, body []byte) error {
	return l.store.Update(ctx, func(tx *queue.Tx) error { return l.report(tx, now, body) })
}

// report keeps a report in a transaction of others. The oldest makes room.
func (l *Ledger) report(tx *queue.Tx, now time.Time, body []byte) error {
	if len(body) == 0 || !l.Reporting() {
		return nil
	}
	if len(body) >= maxBody {
		return job.FieldErrorf("report", "has %d bytes, at most %d are allowed", len(body), maxBody)
	}
	r := readReports(tx)
	for {
		stats, err := l.reports.Stats(tx)
		if err != nil {
			return err
		}
		if stats.Processing < l.config.Reports {
			break
		}
		oldest, err := l.reports.List(tx, queue.Processing, 0, 1)
		if err != nil {
			return err
		}
		if len(oldest) == 0 { // the damaged count no more, once they are found
			break
		}
		if err := l.reports.Remove(tx, oldest[0].Key); err != nil {
			return err
		}
		r.dropped++
	}
	for {
		r.next++
		err := l.reports.PushStarted(tx, queue.Item{Key: int64(r.next), Due: now, AddedAt: now, Body: body})
		if err == nil {
			return r.write(tx)
		}
		if !job.Is(err, job.Duplicate) {
			return err
		}
	}
}

// Reports returns up to limit reports that wait, those behind a number; zero: from the oldest. They wait until they are
// [Ledger.Reported], also over a restart.
func (l *Ledger) Reports(ctx context.Context, after uint64, limit int) (all []Report, err error) {
	err = l.store.View(ctx, func(tx *queue.Tx) error {
		all = nil
		seq := uint64(0)
		if after > 0 {
			if it, _, found, err := l.reports.Find(tx, int64(after)); err != nil {
				return err
			} else if found {
				seq = it.Seq
			}
		}
		items, err := l.reports.List(tx, queue.Processing, seq, min(max(limit, 0), mostOffered))
		for _, it := range items {
			all = append(all, Report{Number: uint64(it.Key), At: it.AddedAt, Body: it.Body})
		}
		return err
	})
	return all, err
}

// Reported removes delivered reports, in one transaction. Missing ones are skipped.
func (l *Ledger) Reported(ctx context.Context, numbers ...uint64) error {
	if len(numbers) > mostOffered {
		return job.FieldErrorf("numbers", "are %d, at most %d are taken at once", len(numbers), mostOffered)
	}
	return l.store.Update(ctx, func(tx *queue.Tx) error {
		for _, n := range numbers {
			if err := l.reports.Remove(tx, int64(n)); err != nil && !job.Is(err, job.NotFound) {
				return err
			}
		}
		return nil
	})
}
