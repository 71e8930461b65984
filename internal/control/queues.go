package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

const (
	// readPage bounds the memory of a listing: a body may have 4 MiB.
	readPage = 16
	// changePage is how many items one transaction of a change of all takes.
	changePage = 64
)

// Config is the queues of an executor.
type Config struct {
	// Store has the queues. Its writer must run. Required.
	Store *queue.Store
	// Queues are the queues by the names that operators use. Required.
	Queues map[string]*queue.Queue
	// Describe returns what a body says, to be shown as JSON; long texts are
	// cut here. An error says why the body cannot be read. Defaults to the body
	// itself, which must be JSON then.
	Describe func(queue string, body []byte) (any, error)
	// Redriven is told of items that are scheduled again, after the commit, on
	// the caller's goroutine: an executor that runs has to take them up.
	// Defaults to nothing.
	Redriven func(queue string, keys []int64)
}

// Queues works on the queues of an open store. Its methods may be called from
// any goroutine.
type Queues struct {
	config Config
	names  []string
}

// NewQueues returns the operations on queues. The store stays the caller's. A
// config without a store or without queues is job.Invalid.
func NewQueues(c Config) (*Queues, error) {
	if c.Store == nil {
		return nil, job.FieldErrorf("store", "is missing")
	}
	if len(c.Queues) == 0 {
		return nil, job.FieldErrorf("queues", "are missing: name at least one")
	}
	if c.Redriven == nil {
		c.Redriven = func(string, []int64) {}
	}
	c.Queues = maps.Clone(c.Queues)
	return &Queues{config: c, names: slices.Sorted(maps.Keys(c.Queues))}, nil
}

// List returns a page of items, by Seq. A queue or place that does not exist
// and a limit out of range are job.Invalid.
func (q *Queues) List(ctx context.Context, query Query) (Page, error) {
	if err := query.check(); err != nil {
		return Page{}, err
	}
	named, err := q.named(query.Queue)
	if err != nil {
		return Page{}, err
	}
	page, after := Page{Items: []Item{}}, query.After
	for {
		items, err := q.readItems(ctx, named, query.Place, after, min(query.Limit-len(page.Items), readPage))
		if err != nil {
			return Page{}, err
		}
		for _, it := range items {
			page.Items = append(page.Items, q.shown(query.Queue, it, query.Place))
			after = it.Seq
		}
		if len(items) == 0 {
			return page, nil
		}
		if len(page.Items) == query.Limit {
			break
		}
	}
	more, err := q.readItems(ctx, named, query.Place, after, 1)
	if err != nil {
		return Page{}, err
	}
	if len(more) > 0 {
		page.Next = after
	}
	return page, nil
}

func (q *Queues) readItems(ctx context.Context, named *queue.Queue, p queue.Place, after uint64, n int) (items []queue.Item, err error) {
	err = q.config.Store.View(ctx, func(tx *queue.Tx) error {
		items, err = named.List(tx, p, after, n)
		return err
	})
	return items, err
}

// Show returns one item, with its whole body when body is set. A key that the
// queue does not know is job.NotFound. Of a finished item only the key is left.
func (q *Queues) Show(ctx context.Context, name string, key api.ID, body bool) (Item, error) {
	named, err := q.named(name)
	if err != nil {
		return Item{}, err
	}
	var it queue.Item
	var place queue.Place
	var found bool
	err = q.config.Store.View(ctx, func(tx *queue.Tx) error {
		it, place, found, err = named.Find(tx, int64(key))
		return err
	})
	switch {
	case err != nil:
		return Item{}, err
	case !found:
		return Item{}, &job.Error{
			Kind: job.NotFound, Message: fmt.Sprintf("queue %s has no item %s", name, key),
			Hint: "list the items to see their keys; a finished one is remembered for a while only",
		}
	case place == queue.Remembered:
		return Item{Key: key, Place: place.String()}, nil
	}
	shown := q.shown(name, it, place)
	if body {
		shown.Body, err = whole(it.Body)
	}
	return shown, err
}

// Redrive has dead items run again: they are scheduled, due now, with their
// tries at zero. It returns how many. Keys are changed all or not at all; All is
// done in pages, and covers what was dead at the start. Kinds of error, beside
// those of the store: job.NotFound for a key that is not dead, job.Full when
// the queue has no room for more.
func (q *Queues) Redrive(ctx context.Context, name string, s Selection) (int, error) {
	return q.change(ctx, name, s, "redriven", func(tx *queue.Tx, named *queue.Queue, key int64) error {
		return named.Redrive(tx, key, time.Now())
	}, func(keys []int64) { q.config.Redriven(name, keys) })
}

// Purge removes dead items for good and returns how many. Selection and errors
// are as those of Redrive, but for job.Full.
func (q *Queues) Purge(ctx context.Context, name string, s Selection) (int, error) {
	return q.change(ctx, name, s, "purged", func(tx *queue.Tx, named *queue.Queue, key int64) error {
		return named.Purge(tx, key)
	}, func([]int64) {})
}

// itemChange changes one dead item.
type itemChange func(tx *queue.Tx, named *queue.Queue, key int64) error

// change applies a step to the selected items. done gets the keys after each commit
// that may have taken effect; verb says in errors what became of them.
func (q *Queues) change(ctx context.Context, name string, s Selection, verb string, do itemChange, done func(keys []int64)) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	named, err := q.named(name)
	if err != nil {
		return 0, err
	}
	if s.All {
		n, err := q.changeAll(ctx, named, do, done)
		if err != nil && n > 0 {
			err = cutShort(err, fmt.Sprintf("only %s %s %s", plural.Count(n, "item"), plural.Verb(n, "was", "were"), verb))
		}
		return n, err
	}
	keys := s.unique()
	err = q.config.Store.Update(ctx, func(tx *queue.Tx) error {
		for _, key := range keys {
			if err := do(tx, named, key); err != nil {
				return err
			}
		}
		return nil
	})
	if wrong, ok := errors.AsType[*job.Error](err); ok && wrong.Kind == job.NotFound {
		return 0, &job.Error{
			Kind: job.NotFound, Message: wrong.Message,
			Hint: "only dead items can be " + verb + ", and nothing was changed: list the dead ones to see their keys",
		}
	}
	if err == nil || job.Is(err, job.Ambiguous) { // it may have taken effect
		done(keys)
	}
	if err != nil {
		return 0, err
	}
	return len(keys), nil
}

// changeAll applies a step to the items that are dead now, page by page. One
// that dies again meanwhile keeps its Seq, so it is not met a second time.
func (q *Queues) changeAll(ctx context.Context, named *queue.Queue, do itemChange, done func(keys []int64)) (int, error) {
	left := math.MaxInt // until the first transaction has counted
	changed := 0
	for after := uint64(0); left > 0; {
		var keys []int64
		var last uint64
		var dead int
		err := q.config.Store.Update(ctx, func(tx *queue.Tx) error {
			keys, last = nil, after
			stats, err := named.Stats(tx)
			if err != nil {
				return err
			}
			dead = stats.Dead
			items, err := named.List(tx, queue.Dead, after, min(left, changePage))
			if err != nil {
				return err
			}
			for _, it := range items {
				err := do(tx, named, it.Key)
				if job.Is(err, job.Full) && len(keys) > 0 {
					return nil // the next page says so
				}
				if err != nil {
					return err
				}
				keys, last = append(keys, it.Key), it.Seq
			}
			return nil
		})
		if job.Is(err, job.Ambiguous) { // it may have taken effect
			done(keys)
		}
		if err != nil || len(keys) == 0 {
			return changed, err
		}
		after = last
		left = min(left, dead) - len(keys)
		changed += len(keys)
		done(keys)
	}
	return changed, nil
}

// cutShort says how far a change of all came before its error.
func cutShort(err error, far string) error {
	short := job.Errorf(job.KindOf(err), "%s, then: %w", far, err)
	if cause, ok := errors.AsType[*job.Error](err); ok {
		short.Hint = cause.Hint
	}
	if short.Hint == "" {
		short.Hint = "run the command again for the rest"
	}
	return short
}

// Stats returns what each queue holds, by name.
func (q *Queues) Stats(ctx context.Context) ([]Counts, error) {
	var counts []Counts
	err := q.config.Store.View(ctx, func(tx *queue.Tx) error {
		counts = make([]Counts, len(q.names))
		for i, name := range q.names {
			s, err := q.config.Queues[name].Stats(tx)
			if err != nil {
				return err
			}
			due, _, err := q.config.Queues[name].Due(tx)
			if err != nil {
				return err
			}
			counts[i] = Counts{
				Queue: name, Scheduled: s.Scheduled, Processing: s.Processing, Dead: s.Dead,
				Finished: s.Remembered, Evicted: s.Evicted, Damaged: s.Damaged, NextAt: api.At(due),
			}
		}
		return nil
	})
	return counts, err
}

// Backup writes a copy of the file of all queues while they are in use. What
// was written before an error, or before ctx ended, is of no use.
func (q *Queues) Backup(ctx context.Context, w io.Writer) error {
	return q.config.Store.Backup(endingWriter{ctx, w})
}

// endingWriter fails once its context has ended.
type endingWriter struct {
	ctx context.Context
	w   io.Writer
}

// Write writes, or returns why the context has ended.
func (e endingWriter) Write(b []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, context.Cause(e.ctx)
	}
	return e.w.Write(b)
}

func (q *Queues) named(name string) (*queue.Queue, error) {
	if named, ok := q.config.Queues[name]; ok {
		return named, nil
	}
	return nil, job.FieldErrorf("queue", "%q is no queue of this executor; use one of %s", name, strings.Join(q.names, ", "))
}

// shown is what may be shown of an item.
func (q *Queues) shown(name string, it queue.Item, place queue.Place) Item {
	shown := Item{
		Key: api.ID(it.Key), Place: place.String(), Seq: it.Seq, DueAt: api.At(it.Due), AddedAt: api.At(it.AddedAt),
		Tries: it.Tries, Note: it.Note, Size: len(it.Body),
	}
	var err error
	if shown.About, err = about(q.config.Describe, name, it.Body); err != nil {
		shown.Unreadable = job.Clean(err.Error(), maxText)
	}
	return shown
}
