package queuetest

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// isolation has functions that fail share commits with others: only their own
// changes are undone.
func (s suite) isolation(t *testing.T) {
	t.Parallel()
	var commits atomic.Int64
	r := start(t, s.open(t), queue.Config{Hooks: queue.Hooks{
		Committed: func(int, time.Duration) { commits.Add(1) },
	}})
	q := r.store.Queue("tasks", queue.QueueConfig{})
	const callers, rounds = 16, 20
	var wg sync.WaitGroup
	var woken atomic.Int64
	for c := range int64(callers) {
		wg.Go(func() {
			for i := range int64(rounds) {
				key := c*rounds + i
				err := r.store.Update(t.Context(), func(tx *queue.Tx) error {
					tx.OnCommit(func() { woken.Add(1) })
					return startOrUndo(tx, q, key)
				})
				if failed := err != nil; failed != (key%3 == 0) {
					t.Errorf("key %d: %v", key, err)
				}
			}
		})
	}
	wg.Wait()
	want := 0
	for key := range int64(callers * rounds) {
		if key%3 != 0 {
			want++
		}
	}
	equal(t, "counts", r.stats(t, q), queue.Stats{Processing: want})
	equal(t, "hooks of commits", woken.Load(), int64(want))
	for _, key := range r.keys(t, q, queue.Processing) {
		if key%3 == 0 {
			t.Errorf("key %d was to be undone", key)
		}
	}
	if n := commits.Load(); n >= callers*rounds {
		t.Errorf("%d commits for %d functions: nothing was shared", n, callers*rounds)
	}
}

// startOrUndo starts an item of a new key, and fails behind that when three
// divides the key.
func startOrUndo(tx *queue.Tx, q *queue.Queue, key int64) error {
	if err := q.Push(tx, queue.Item{Key: key}); err != nil {
		return err
	}
	if err := q.Start(tx, key); err != nil {
		return err
	}
	if err := tx.SetMeta("last", []byte{byte(key)}); err != nil {
		return err
	}
	if key%3 == 0 {
		return errUndo
	}
	return nil
}

// together pushes the same key from many callers at once: one of them wins.
func (s suite) together(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	tasks := r.store.Queue("tasks", queue.QueueConfig{})
	outbox := r.store.Queue("outbox", queue.QueueConfig{})
	var accepted, duplicate atomic.Int64
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			err := r.store.Update(t.Context(), func(tx *queue.Tx) error {
				return tasks.PushStarted(tx, queue.Item{Key: 1})
			})
			switch {
			case err == nil:
				accepted.Add(1)
			case job.Is(err, job.Duplicate):
				duplicate.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	equal(t, "accepted", accepted.Load(), int64(1))
	equal(t, "duplicates", duplicate.Load(), int64(99))
	// Two queues in one transaction, all or nothing.
	move := func(key int64) error {
		return r.store.Update(t.Context(), func(tx *queue.Tx) error {
			if err := outbox.Push(tx, queue.Item{Key: key}); err != nil {
				return err
			}
			return tasks.Ack(tx, key, day)
		})
	}
	ofKind(t, move(2), job.NotFound)
	ofKind(t, move(1), "")
	equal(t, "tasks", r.stats(t, tasks), queue.Stats{Remembered: 1})
	equal(t, "outbox", r.stats(t, outbox), queue.Stats{Scheduled: 1})
}

// fill puts something in every place and returns a check that it is there.
func fill(t *testing.T, r *rig) (check func(t *testing.T, r *rig)) {
	t.Helper()
	q := r.store.Queue("tasks", queue.QueueConfig{})
	r.update(t, func(tx *queue.Tx) error {
		for key := range int64(8) {
			it := queue.Item{Key: key, Due: day, AddedAt: day, Body: bytes.Repeat([]byte{byte(key)}, 2000)}
			if err := q.PushStarted(tx, it); err != nil {
				return err
			}
		}
		for _, err := range []error{
			q.Ack(tx, 1, day), q.Ack(tx, 2, day), q.Bury(tx, 3, "no use"),
			q.Nack(tx, 4, day, "again"), q.Defer(tx, 5, day.Add(1), "later"), tx.SetMeta("id", []byte("x1")),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	all := func(t *testing.T, r *rig) (items [][]queue.Item, id string) {
		t.Helper()
		r.view(t, func(tx *queue.Tx) error {
			for _, p := range []queue.Place{queue.Scheduled, queue.Processing, queue.Dead} {
				list, err := q.List(tx, p, 0, 100)
				if err != nil {
					return err
				}
				items = append(items, list)
			}
			value, _ := tx.Meta("id")
			id = string(value)
			return nil
		})
		return items, id
	}
	before, _ := all(t, r)
	stats := r.stats(t, q)
	return func(t *testing.T, r *rig) {
		t.Helper()
		after, id := all(t, r)
		equal(t, "items", after, before)
		equal(t, "counts", r.stats(t, q), stats)
		equal(t, "the caller's value", id, "x1")
		err := r.store.Update(t.Context(), func(tx *queue.Tx) error { return q.Push(tx, queue.Item{Key: 1}) })
		ofKind(t, err, job.Duplicate)
		r.update(t, func(tx *queue.Tx) error { return q.Push(tx, queue.Item{Key: 50}) })
		list := r.keys(t, q, queue.Scheduled)
		equal(t, "the newest is last", list[len(list)-1], int64(50))
	}
}

func (s suite) restart(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	check := fill(t, r)
	r.stop()
	check(t, start(t, s.caps.Reopen(t, r.disk), queue.Config{}))
}

func (s suite) backup(t *testing.T) {
	t.Parallel()
	r := start(t, s.open(t), queue.Config{})
	check := fill(t, r)
	var copied bytes.Buffer
	if err := r.store.Backup(&copied); err != nil {
		t.Fatal(err)
	}
	check(t, start(t, s.caps.Restore(t, copied.Bytes()), queue.Config{}))
	check(t, r)
}
