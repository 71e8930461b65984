package outbox

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// sendNext sends the oldest batch and reports whether there was one.
func (o *Outbox) sendNext(ctx context.Context) (more bool, err error) {
	var items []queue.Item
	err = o.config.Store.View(ctx, func(tx *queue.Tx) (err error) {
		items, err = o.config.Queue.List(tx, queue.Scheduled, 0, o.config.Batch)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("read the outbox: %w", err)
	}
	if len(items) == 0 {
		return false, nil
	}
	batch, bad, err := readBatch(items)
	if err != nil {
		return true, o.bury(ctx, bad, err)
	}
	return true, o.send(ctx, batch)
}

// readBatch decodes the first items, up to a size. An item that cannot be read
// is returned with the reason.
func readBatch(items []queue.Item) (batch []job.Outcome, bad int64, err error) {
	size := 0
	for _, it := range items {
		size += len(it.Body)
		if size > maxBatchBytes && len(batch) > 0 {
			break
		}
		out, err := outcomeOf(it)
		if err != nil {
			return nil, it.Key, err
		}
		batch = append(batch, out)
	}
	return batch, 0, nil
}

// send delivers a batch and takes it out of the outbox. A refused batch is cut
// in halves, so that what is good in it arrives and what is bad is found.
func (o *Outbox) send(ctx context.Context, batch []job.Outcome) error {
	err := o.config.Send.SendOutcomes(ctx, batch)
	switch kind := job.KindOf(err); {
	case err == nil:
		return o.done(ctx, batch)
	case kind != job.Refused && kind != job.Invalid:
		return fmt.Errorf("send %d outcomes: %w", len(batch), err)
	case len(batch) == 1:
		return o.bury(ctx, batch[0].AttemptID, err)
	}
	half := len(batch) / 2
	if err := o.send(ctx, batch[:half]); err != nil {
		return err
	}
	return o.send(ctx, batch[half:])
}

// done takes a batch out of the outbox in one transaction. A server has it
// already, so the end of ctx is no reason to send it again.
func (o *Outbox) done(ctx context.Context, batch []job.Outcome) error {
	now := time.Now()
	err := o.config.Store.Update(context.WithoutCancel(ctx), func(tx *queue.Tx) error {
		for _, out := range batch {
			err := o.config.Queue.Drop(tx, out.AttemptID, now)
			if err != nil && !job.Is(err, job.NotFound) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("take %d sent outcomes out of the outbox: %w", len(batch), err)
	}
	o.config.Hooks.Sent(len(batch))
	return nil
}

// bury makes an outcome a dead letter.
func (o *Outbox) bury(ctx context.Context, attemptID int64, reason error) error {
	err := o.config.Store.Update(context.WithoutCancel(ctx), func(tx *queue.Tx) error {
		if err := o.config.Queue.Start(tx, attemptID); err != nil {
			return err
		}
		return o.config.Queue.Bury(tx, attemptID, reason.Error())
	})
	if err != nil {
		return fmt.Errorf("set the outcome of attempt %d aside: %w", attemptID, err)
	}
	o.config.Logger.Error("outcome_refused", "attempt_id", attemptID, "error", reason)
	o.config.Hooks.Refused(attemptID, reason)
	return nil
}
