package ledger

import (
	"context"

	"github.com/orthd/orth/internal/queue"
)

// Sizes is what each store holds, in bytes: the records alone, without what the file needs around them.
type Sizes struct {
	Scheduled, Processing, Dead int64
	// Metadata is the accounts of threads, the executions that are remembered, and the reports that wait.
	Metadata int64
	// Config is how tasks are tried again, and what all have brought.
	Config int64
}

// rememberedSize is what is kept of an execution that is known to be done: its key and when that was.
const rememberedSize = 16

// Sizes reads everything, a page at a time: it is for now and then.
func (l *Ledger) Sizes(ctx context.Context) (s Sizes, err error) {
	for place, size := range map[Place]*int64{Scheduled: &s.Scheduled, Processing: &s.Processing, Dead: &s.Dead} {
		if *size, err = l.placeSize(ctx, l.tasks, queue.Place(place)); err != nil {
			return Sizes{}, err
		}
	}
	if s.Metadata, err = l.placeSize(ctx, l.accounts, queue.Processing); err != nil {
		return Sizes{}, err
	}
	reports, err := l.placeSize(ctx, l.reports, queue.Processing)
	if err != nil {
		return Sizes{}, err
	}
	s.Metadata += reports
	err = l.store.View(ctx, func(tx *queue.Tx) error {
		for _, name := range []string{retryMeta, totalMeta, restMeta, reportsMeta} {
			data, _ := tx.Meta(name)
			s.Config += int64(len(data))
		}
		stats, err := l.tasks.Stats(tx)
		s.Metadata += int64(stats.Remembered) * rememberedSize
		return err
	})
	return s, err
}

// placeSize is what the items of a place take.
func (l *Ledger) placeSize(ctx context.Context, q *queue.Queue, where queue.Place) (size int64, err error) {
	after := uint64(0)
	for more := true; more; {
		err := l.store.View(ctx, func(tx *queue.Tx) error {
			items, err := q.List(tx, where, after, page)
			for _, it := range items {
				size += int64(len(it.Body))
				after = it.Seq
			}
			more = len(items) == page
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return size, nil
}
