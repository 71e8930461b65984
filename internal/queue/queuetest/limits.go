package queuetest

import (
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

func (s suite) capacity(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	q := r.store.Queue("tasks", queue.QueueConfig{Capacity: 3})
	push := func(key int64) error {
		return r.store.Update(t.Context(), func(tx *queue.Tx) error { return q.Push(tx, queue.Item{Key: key}) })
	}
	for key := range int64(3) {
		ofKind(t, push(key), "")
	}
	ofKind(t, push(3), job.Full)
	ofKind(t, push(2), job.Duplicate)
	r.update(t, func(tx *queue.Tx) error { return q.Start(tx, 0) })
	ofKind(t, push(3), job.Full)
	r.update(t, func(tx *queue.Tx) error { return q.Bury(tx, 0, "") })
	ofKind(t, push(3), "")
	ofKind(t, r.store.Update(t.Context(), func(tx *queue.Tx) error { return q.Redrive(tx, 0, day) }), job.Full)
	r.update(t, func(tx *queue.Tx) error { return q.Drop(tx, 1, day) })
	r.update(t, func(tx *queue.Tx) error { return q.Redrive(tx, 0, day) })
	other := r.store.Queue("other", queue.QueueConfig{Capacity: 1})
	r.update(t, func(tx *queue.Tx) error { return other.Push(tx, queue.Item{Key: 0}) })

	big := queue.Item{Key: 9, Body: make([]byte, queue.MaxBody+1)}
	ofKind(t, r.store.Update(t.Context(), func(tx *queue.Tx) error { return other.Push(tx, big) }), job.Invalid)
}

// remember finishes many items and looks which keys are still known.
func (s suite) remember(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	q := r.store.Queue("tasks", queue.QueueConfig{Remember: 20, RememberFor: time.Hour})
	finish := func(from, to int64, at time.Time) {
		r.update(t, func(tx *queue.Tx) error {
			for key := from; key < to; key++ {
				if err := q.PushStarted(tx, queue.Item{Key: key}); err != nil {
					return err
				}
				if err := q.Ack(tx, key, at); err != nil {
					return err
				}
			}
			return nil
		})
	}
	known := func(key int64) (known bool) {
		r.view(t, func(tx *queue.Tx) error {
			_, p, found, err := q.Find(tx, key)
			known = found && p == queue.Remembered
			return err
		})
		return known
	}
	finish(0, 50, day)
	equal(t, "bounded by number", r.stats(t, q).Remembered, 20)
	equal(t, "the first are forgotten", known(29), false)
	equal(t, "the last are known", known(30), true)
	finish(50, 60, day.Add(time.Hour-time.Millisecond))
	equal(t, "known until too old", known(49), true)
	finish(60, 76, day.Add(time.Hour))
	equal(t, "forgotten when too old", known(49), false)
	equal(t, "not too old", known(60), true)
	finish(0, 1, day.Add(time.Hour)) // a forgotten key is as new

	aged := r.store.Queue("aged", queue.QueueConfig{RememberFor: time.Hour})
	for key := range int64(100) {
		r.update(t, func(tx *queue.Tx) error {
			if err := aged.Push(tx, queue.Item{Key: key}); err != nil {
				return err
			}
			return aged.Drop(tx, key, day.Add(time.Duration(key)*time.Minute))
		})
	}
	if n := r.stats(t, aged).Remembered; n < 60 || n > 70 {
		t.Errorf("%d keys of an hour are remembered, and a few more", n)
	}

	fewer := r.store.Queue("tasks", queue.QueueConfig{Remember: 2})
	for key := int64(100); key < 103; key++ {
		r.update(t, func(tx *queue.Tx) error {
			if err := fewer.Push(tx, queue.Item{Key: key}); err != nil {
				return err
			}
			return fewer.Drop(tx, key, day)
		})
	}
	equal(t, "a lower limit is reached in steps", r.stats(t, q).Remembered, 2)

	none := r.store.Queue("none", queue.QueueConfig{Remember: -1})
	for range 3 {
		r.update(t, func(tx *queue.Tx) error {
			if err := none.Push(tx, queue.Item{Key: 7}); err != nil {
				return err
			}
			return none.Drop(tx, 7, day)
		})
	}
	equal(t, "nothing is remembered", r.stats(t, none), queue.Stats{})
}

func (s suite) evict(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	q := r.store.Queue("tasks", queue.QueueConfig{KeepDead: 3})
	for key := range int64(5) {
		r.update(t, func(tx *queue.Tx) error {
			if err := q.PushStarted(tx, queue.Item{Key: key}); err != nil {
				return err
			}
			return q.Bury(tx, key, "no use")
		})
	}
	equal(t, "the newest are kept", r.keys(t, q, queue.Dead), []int64{2, 3, 4})
	equal(t, "counts", r.stats(t, q), queue.Stats{Dead: 3, Evicted: 2})
	r.update(t, func(tx *queue.Tx) error { return q.Push(tx, queue.Item{Key: 0}) })
}
