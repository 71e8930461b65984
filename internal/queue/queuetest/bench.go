package queuetest

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue"
)

// Sizes of what a benchmark's task leaves in the queue, in bytes.
const (
	TaskBytes    = 300
	OutcomeBytes = 200
)

// Cycle measures the whole life of a task in three commits: accepted, finished
// together with its outcome, outcome accepted by the server. Each caller waits
// for the first two; the third serves what has gathered. It reports cycles per
// second.
func Cycle(b *testing.B, callers int, open func(tb testing.TB) queue.Disk) {
	b.Helper()
	s := benchStore(b, open(b))
	tasks := s.Queue("tasks", queue.QueueConfig{Capacity: 1 << 30})
	outbox := s.Queue("outbox", queue.QueueConfig{Capacity: 1 << 30})
	body, outcome := make([]byte, TaskBytes), make([]byte, OutcomeBytes)
	Cycles(b, callers, func(key int64) error {
		return s.Update(b.Context(), func(tx *queue.Tx) error {
			return tasks.PushStarted(tx, queue.Item{Key: key, Body: body})
		})
	}, func(key int64) error {
		return s.Update(b.Context(), func(tx *queue.Tx) error {
			if err := tasks.Ack(tx, key, time.Now()); err != nil {
				return err
			}
			return outbox.Push(tx, queue.Item{Key: key, Body: outcome})
		})
	}, func(keys []int64) error {
		return s.Update(b.Context(), func(tx *queue.Tx) error {
			for _, key := range keys {
				if err := outbox.Drop(tx, key, time.Now()); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// Accept measures the durable acceptance of a task, as an executor answers a
// trigger. It reports tasks per second.
func Accept(b *testing.B, callers int, open func(tb testing.TB) queue.Disk) {
	b.Helper()
	s := benchStore(b, open(b))
	tasks := s.Queue("tasks", queue.QueueConfig{Capacity: 1 << 30})
	body := make([]byte, TaskBytes)
	inParallel(b, callers, func(key int64) error {
		return s.Update(b.Context(), func(tx *queue.Tx) error {
			return tasks.Push(tx, queue.Item{Key: key, Body: body})
		})
	})
}

// Cycles drives three durable steps: the first two of each key from so many
// callers, the third for up to 512 keys that have gathered. It reports cycles
// per second.
func Cycles(b *testing.B, callers int, first, second func(key int64) error, third func(keys []int64) error) {
	b.Helper()
	sent := make(chan int64, 1024)
	var drain sync.WaitGroup
	drain.Go(func() {
		for key := range sent {
			if err := third(gather(sent, key)); err != nil {
				b.Error(err)
			}
		}
	})
	inParallel(b, callers, func(key int64) error {
		if err := first(key); err != nil {
			return err
		}
		err := second(key)
		sent <- key
		return err
	})
	close(sent)
	drain.Wait()
}

// gather returns a key and those that wait behind it.
func gather(sent <-chan int64, key int64) []int64 {
	keys := []int64{key}
	for len(keys) < 512 {
		select {
		case key, ok := <-sent:
			if !ok {
				return keys
			}
			keys = append(keys, key)
		default:
			return keys
		}
	}
	return keys
}

func benchStore(b *testing.B, disk queue.Disk) *queue.Store {
	b.Helper()
	s, err := queue.Open(disk, queue.Config{})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	var run sync.WaitGroup
	run.Go(func() { _ = s.Run(ctx) })
	b.Cleanup(func() {
		stop()
		run.Wait()
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

// inParallel calls fn b.N times from so many goroutines, each with a key of
// its own.
func inParallel(b *testing.B, callers int, fn func(key int64) error) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range callers {
		wg.Go(func() {
			for {
				key := next.Add(1)
				if key > int64(b.N) {
					return
				}
				if err := fn(key); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "per_s")
}
