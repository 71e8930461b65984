package queuetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

var errTask = errors.New("it broke")

// fail has one item fail in every way and looks at what becomes of it.
func (s suite) fail(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	q := r.store.Queue("tasks", queue.QueueConfig{Retry: retry.Policy{
		Tries: 2, Initial: 10 * time.Second, Multiplier: 3, Max: 20 * time.Second, Jitter: 0.5,
	}})
	const half = 0.5 // no jitter
	in := func(seconds int) time.Time { return day.Add(time.Duration(seconds) * time.Second) }
	for i, step := range []struct {
		name   string
		tries  int
		err    error
		random float64
		want   queue.Fate
		left   int // tries counted afterwards
	}{
		{"the first delay", 0, errTask, half, queue.Fate{Class: retry.ClassTransient, Due: in(10)}, 1},
		{"jitter", 0, errTask, 0, queue.Fate{Class: retry.ClassTransient, Due: in(5)}, 1},
		{"the cap", 1, errTask, half, queue.Fate{Class: retry.ClassTransient, Due: in(20)}, 2},
		{"used up", 2, errTask, half, queue.Fate{Class: retry.ClassTransient, Buried: true}, 2},
		{"a shortage", 1, retry.Resource(errTask), half, queue.Fate{Class: retry.ClassResource, Due: in(20)}, 2},
		{
			"at least as the error says", 0,
			&retry.Error{Class: retry.ClassResource, After: time.Minute, Err: errTask}, half,
			queue.Fate{Class: retry.ClassResource, Due: in(60)},
			1,
		},
		{"permanent", 0, retry.Permanent(errTask), half, queue.Fate{Class: retry.ClassPermanent, Buried: true}, 0},
		{
			"not ready", 2, retry.NotReady(errTask, time.Minute), half,
			queue.Fate{Class: retry.ClassNotReady, Due: in(60)},
			2,
		},
		{"not ready, who knows when", 2, retry.NotReady(errTask, 0), half, queue.Fate{Class: retry.ClassNotReady, Due: in(10)}, 2},
	} {
		key := int64(i)
		var fate queue.Fate
		r.update(t, func(tx *queue.Tx) (err error) {
			if err := q.PushStarted(tx, queue.Item{Key: key, Tries: step.tries}); err != nil {
				return err
			}
			fate, err = q.Fail(tx, key, day, step.err, step.random)
			return err
		})
		equal(t, step.name, fate, step.want)
		r.view(t, func(tx *queue.Tx) error {
			it, p, _, err := q.Find(tx, key)
			place, due := queue.Scheduled, fate.Due
			if fate.Buried {
				place, due = queue.Dead, day
			}
			equal(t, step.name+": place", p, place)
			equal(t, step.name+": item", it, queue.Item{
				Key: key, Due: due, AddedAt: it.AddedAt, Seq: it.Seq, Tries: step.left, Body: []byte{}, Note: "it broke",
			})
			return err
		})
	}
	never := r.store.Queue("never", queue.QueueConfig{})
	r.update(t, func(tx *queue.Tx) error {
		if err := never.PushStarted(tx, queue.Item{Key: 1}); err != nil {
			return err
		}
		fate, err := never.Fail(tx, 1, day, errTask, half)
		equal(t, "no policy, no retry", fate.Buried, true)
		return err
	})
}

// expire lets dead letters grow old.
func (s suite) expire(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	q := r.store.Queue("tasks", queue.QueueConfig{DeadFor: time.Hour})
	r.update(t, func(tx *queue.Tx) error {
		for key := range int64(6) {
			it := queue.Item{Key: key, Due: day.Add(time.Duration(key) * time.Minute)}
			if key == 5 { // neither due nor added at a known time
				it = queue.Item{Key: key}
			}
			if err := errors.Join(q.PushStarted(tx, it), q.Bury(tx, key, "no use")); err != nil {
				return err
			}
		}
		if err := q.PushStarted(tx, queue.Item{Key: 6}); err != nil {
			return err
		}
		_, err := q.Fail(tx, 6, day.Add(30*time.Minute), errTask, 0)
		return err
	})
	expire := func(q *queue.Queue, after time.Duration, n int) (removed int) {
		r.update(t, func(tx *queue.Tx) (err error) {
			removed, err = q.Expire(tx, day.Add(after), n)
			return err
		})
		return removed
	}
	equal(t, "too young", expire(q, time.Hour-time.Millisecond, 9), 0)
	equal(t, "exactly", expire(q, time.Hour, 9), 1)
	equal(t, "at most", expire(q, 2*time.Hour, 2), 2)
	equal(t, "nothing asked", expire(q, 2*time.Hour, 0), 0)
	equal(t, "never", expire(r.store.Queue("tasks", queue.QueueConfig{}), 1e6*time.Hour, 9), 0)
	equal(t, "when it failed counts", expire(q, 89*time.Minute, 9), 2)
	equal(t, "left", r.keys(t, q, queue.Dead), []int64{5, 6})
	equal(t, "the last", expire(q, 90*time.Minute, 9), 1)
	equal(t, "counts", r.stats(t, q), queue.Stats{Dead: 1})
	r.update(t, func(tx *queue.Tx) error { return q.Push(tx, queue.Item{Key: 0}) }) // not remembered
}

// pages redrives and purges all dead letters, a page at a time.
func (s suite) pages(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	q := r.store.Queue("tasks", queue.QueueConfig{Capacity: 10})
	bury := func(from, to int64) {
		r.update(t, func(tx *queue.Tx) error {
			for key := from; key < to; key++ {
				if err := errors.Join(q.PushStarted(tx, queue.Item{Key: key, Tries: 3}), q.Bury(tx, key, "")); err != nil {
					return err
				}
			}
			return nil
		})
	}
	page := func(do func(tx *queue.Tx) (int, error)) (n int, err error) {
		err = r.store.Update(t.Context(), func(tx *queue.Tx) (err error) {
			n, err = do(tx)
			return err
		})
		return n, err
	}
	redrive := func(tx *queue.Tx) (int, error) { return q.RedriveAll(tx, day, 4) }
	purge := func(tx *queue.Tx) (int, error) { return q.PurgeAll(tx, 4) }
	bury(0, 9)
	for i, want := range []int{4, 4, 1, 0} {
		n, err := page(redrive)
		ofKind(t, err, "")
		equal(t, fmt.Sprintf("page %d", i), n, want)
	}
	equal(t, "redriven", r.keys(t, q, queue.Scheduled), []int64{0, 1, 2, 3, 4, 5, 6, 7, 8})
	bury(20, 21)
	bury(21, 22)
	n, err := page(redrive)
	ofKind(t, err, "")
	equal(t, "as far as there is room", n, 1)
	_, err = page(redrive)
	ofKind(t, err, job.Full)
	equal(t, "left", r.stats(t, q), queue.Stats{Scheduled: 10, Dead: 1})
	r.update(t, func(tx *queue.Tx) error { return q.Drop(tx, 0, day) })
	bury(30, 36)
	for i, want := range []int{4, 3, 0} {
		n, err := page(purge)
		ofKind(t, err, "")
		equal(t, fmt.Sprintf("purged page %d", i), n, want)
	}
	equal(t, "left", r.stats(t, q), queue.Stats{Scheduled: 9, Remembered: 1})
}

// backlog takes a long queue from the front, one by one and across restarts:
// what is gone must not be met again and again.
func (s suite) backlog(t *testing.T) {
	t.Parallel()
	const items = 3000
	r := start(t, s.open(t), queue.Config{})
	q := r.store.Queue("tasks", queue.QueueConfig{})
	r.update(t, func(tx *queue.Tx) error {
		for key := range int64(items) {
			if err := q.Push(tx, queue.Item{Key: key, Due: day}); err != nil {
				return err
			}
		}
		return nil
	})
	if s.caps.Reopen != nil {
		r.stop()
		r = start(t, s.caps.Reopen(t, r.disk), queue.Config{})
	}
	for next := int64(0); next < items; next += 10 {
		r.update(t, func(tx *queue.Tx) error {
			list, err := q.List(tx, queue.Scheduled, 0, 1)
			if err != nil || len(list) != 1 || list[0].Key != next {
				return fmt.Errorf("listed %v, want item %d (%w)", list, next, err)
			}
			claimed, err := q.Claim(tx, day, 10)
			if err != nil || len(claimed) != 10 || claimed[0].Key != next {
				return fmt.Errorf("claimed %v, want item %d (%w)", claimed, next, err)
			}
			for _, it := range claimed {
				if err := q.Ack(tx, it.Key, day); err != nil {
					return err
				}
			}
			return q.PushStarted(tx, queue.Item{Key: -next - 1}) // behind all
		})
		if next%500 == 0 { // back to the front
			r.update(t, func(tx *queue.Tx) error {
				first := queue.Item{Key: 10 * items, Due: day.Add(-time.Hour)}
				if err := q.Push(tx, first); err != nil {
					return err
				}
				due, _, err := q.Due(tx)
				equal(t, "due", due, first.Due)
				return errors.Join(err, q.Start(tx, first.Key), q.Bury(tx, first.Key, ""), q.Purge(tx, first.Key))
			})
		}
	}
	equal(t, "left", r.stats(t, q), queue.Stats{Processing: items / 10, Remembered: items})
}
