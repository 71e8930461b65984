package bolt_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/bolt"
)

// BenchmarkAccept is the durable acceptance of a task of 300 bytes, as an
// executor answers a trigger.
func BenchmarkAccept(b *testing.B) {
	for _, callers := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := benchStore(b)
			tasks := s.Queue("tasks", queue.QueueConfig{Capacity: 1 << 30})
			body := make([]byte, 300)
			inParallel(b, callers, func(key int64) error {
				return s.Update(b.Context(), func(tx *queue.Tx) error {
					return tasks.Push(tx, queue.Item{Key: key, Body: body})
				})
			})
		})
	}
}

// BenchmarkCycle is the whole life of a task in three commits: accepted,
// finished together with its outcome of 200 bytes, outcome accepted by the
// server. The third serves what has gathered, up to 512 outcomes.
func BenchmarkCycle(b *testing.B) {
	for _, callers := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := benchStore(b)
			tasks := s.Queue("tasks", queue.QueueConfig{Capacity: 1 << 30})
			outbox := s.Queue("outbox", queue.QueueConfig{Capacity: 1 << 30})
			body, outcome := make([]byte, 300), make([]byte, 200)
			sent := make(chan int64, 1024)
			var drain sync.WaitGroup
			drain.Go(func() { drainOutbox(b, s, outbox, sent) })
			inParallel(b, callers, func(key int64) error {
				err := s.Update(b.Context(), func(tx *queue.Tx) error {
					return tasks.PushStarted(tx, queue.Item{Key: key, Body: body})
				})
				if err != nil {
					return err
				}
				err = s.Update(b.Context(), func(tx *queue.Tx) error {
					if err := tasks.Ack(tx, key, time.Now()); err != nil {
						return err
					}
					return outbox.Push(tx, queue.Item{Key: key, Body: outcome})
				})
				sent <- key
				return err
			})
			close(sent)
			drain.Wait()
		})
	}
}

func drainOutbox(b *testing.B, s *queue.Store, outbox *queue.Queue, sent <-chan int64) {
	b.Helper()
	for key := range sent {
		batch := []int64{key}
	gather:
		for len(batch) < 512 {
			select {
			case key, ok := <-sent:
				if !ok {
					break gather
				}
				batch = append(batch, key)
			default:
				break gather
			}
		}
		err := s.Update(b.Context(), func(tx *queue.Tx) error {
			for _, key := range batch {
				if err := outbox.Drop(tx, key, time.Now()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Error(err)
		}
	}
}

func benchStore(b *testing.B) *queue.Store {
	b.Helper()
	back, err := bolt.Open(filepath.Join(b.TempDir(), "queue.db"), bolt.Config{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := queue.Open(back, queue.Config{})
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
