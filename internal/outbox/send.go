package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// takeAhead is how many batches may be in removal from the store while the next one is
// sent.
const takeAhead = 2

// drain is one walk along the outbox. Sent batches are removed from the store while the
// next batch is in flight, so the walk keeps its position.
type drain struct {
	o     *Outbox
	after uint64     // the Seq of the last outcome sent
	out   int        // batches in removal from the store
	taken chan error // the results of those removals
	done  bool       // a batch was removed from the store
}

// sendNext sends the next batch and reports whether there may be more: it was full. After an
// error the walk starts again.
func (d *drain) sendNext(ctx context.Context) (more bool, err error) {
	d.o.sent = time.Time{}
	d.o.waiting.Store(0)
	select {
	case <-d.o.enough: // they are read
	default:
	}
	if err := d.o.sendAside(ctx); err != nil {
		return true, errors.Join(err, d.settle())
	}
	items, whole, err := d.o.readNext(ctx, d.after)
	if err == nil && len(items) > 0 {
		more, err = d.sendItems(ctx, items)
		more = more || whole
	}
	if err == nil && more {
		return true, nil
	}
	d.after = 0
	return err != nil, errors.Join(err, d.settle())
}

// sendItems sends as many of the items as make a batch, and reports whether that is full.
func (d *drain) sendItems(ctx context.Context, items []queue.Item) (full bool, err error) {
	batch, bad, err := readBatch(items)
	if err != nil {
		return true, d.o.buryOutcome(ctx, bad, err)
	}
	if full = len(batch) < len(items) || len(items) == d.o.config.Batch; !full {
		d.o.sent = time.Now()
	}
	err = d.o.callServer(ctx, batch)
	switch {
	case err == nil:
		d.after = items[len(batch)-1].Seq
		return full, d.removeBatch(ctx, batch, full)
	case !understood(err):
		return full, fmt.Errorf("send %s: %w", plural.Count(len(batch), "outcome"), err)
	}
	return true, d.o.divide(ctx, batch, err)
}

// removeBatch starts the removal of a batch from the store, and waits for an earlier one when
// there are too many. If no batch follows, it waits for the removal.
func (d *drain) removeBatch(ctx context.Context, batch []job.Outcome, follows bool) error {
	if !follows {
		err := d.o.removeDelivered(ctx, batch)
		d.done = d.done || err == nil
		return err
	}
	var err error
	if d.out == takeAhead {
		d.out--
		err = d.await()
	}
	d.out++
	go func() { d.taken <- d.o.removeDelivered(ctx, batch) }()
	return err
}

// settle waits for the removals from the store.
func (d *drain) settle() error {
	var errs []error
	for ; d.out > 0; d.out-- {
		errs = append(errs, d.await())
	}
	return errors.Join(errs...)
}

func (d *drain) await() error {
	err := <-d.taken
	d.done = d.done || err == nil
	return err
}

// readNext returns the next outcomes except those that were set aside, and whether there may be
// more.
func (o *Outbox) readNext(ctx context.Context, after uint64) (items []queue.Item, whole bool, err error) {
	err = o.config.Store.View(ctx, func(tx *queue.Tx) (err error) {
		for whole = true; whole && len(items) == 0 && err == nil; {
			items, err = o.config.Queue.List(tx, queue.Scheduled, after, o.config.Batch)
			if whole = len(items) == o.config.Batch; whole {
				after = items[len(items)-1].Seq
			}
			items = o.aside.without(items)
		}
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("read the outbox: %w", err)
	}
	return items, whole, nil
}

// readBatch decodes the first items, up to a size. An item that cannot be read
// is returned with the reason.
func readBatch(items []queue.Item) (batch []job.Outcome, bad int64, err error) {
	size := 0
	batch = make([]job.Outcome, 0, len(items))
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

// understood reports whether a server has rejected a batch.
func understood(err error) bool {
	return job.Is(err, job.Refused) || job.Is(err, job.Invalid) || job.Is(err, job.Forbidden)
}

// divide splits a rejected batch in halves, so that its valid outcomes arrive and the
// invalid ones are found.
func (o *Outbox) divide(ctx context.Context, batch []job.Outcome, reason error) error {
	if job.Is(reason, job.Forbidden) && !o.aside.mayDivide(len(batch)) {
		return o.setAside(batch, reason)
	}
	if len(batch) == 1 {
		return o.buryOutcome(ctx, batch[0].AttemptID, reason)
	}
	half := len(batch) / 2
	if err := o.sendBatch(ctx, batch[:half]); err != nil {
		return err
	}
	return o.sendBatch(ctx, batch[half:])
}

// sendBatch delivers a part of a batch and removes it from the outbox.
func (o *Outbox) sendBatch(ctx context.Context, batch []job.Outcome) error {
	err := o.callServer(ctx, batch)
	switch {
	case err == nil:
		return o.removeDelivered(ctx, batch)
	case !understood(err):
		return fmt.Errorf("send %s: %w", plural.Count(len(batch), "outcome"), err)
	}
	return o.divide(ctx, batch, err)
}

// callServer sends a batch. It has Config.Last to finish when ctx ends.
func (o *Outbox) callServer(ctx context.Context, batch []job.Outcome) error {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		if o.config.Last <= 0 {
			cancel()
			return
		}
		timer := time.NewTimer(o.config.Last)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-last.Done():
		}
	})
	defer stop()
	return o.config.Send.SendOutcomes(last, batch)
}

// removeDelivered removes a batch from the outbox in one transaction. A server already has it, so the
// end of ctx is no reason to send it again. A crash may restore it: then it is sent once
// more, which servers tolerate.
func (o *Outbox) removeDelivered(ctx context.Context, batch []job.Outcome) error {
	failpoint.Hit("outbox/sent")
	now := time.Now()
	err := o.config.Store.UpdateSoon(context.WithoutCancel(ctx), func(tx *queue.Tx) error {
		for _, out := range batch {
			err := o.config.Queue.Drop(tx, out.AttemptID, now)
			if err != nil && !job.Is(err, job.NotFound) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("take %s out of the outbox: %w", plural.Count(len(batch), "sent outcome"), err)
	}
	failpoint.Hit("outbox/dropped")
	o.config.Hooks.Sent(len(batch))
	return nil
}

// buryOutcome makes an outcome a dead letter.
func (o *Outbox) buryOutcome(ctx context.Context, attemptID int64, reason error) error {
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
