package outbox_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/outbox"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	errAway = job.Errorf(job.Unreachable, "nobody listens")
	day     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// server is a Sender that notes what it was sent.
type server struct {
	mu      sync.Mutex
	batches [][]int64
	at      []time.Time
	last    []job.Outcome
	answer  func(batch []job.Outcome) error // nil accepts
	takes   time.Duration                   // how long an answer takes
}

func (s *server) SendOutcomes(ctx context.Context, batch []job.Outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []int64
	for _, out := range batch {
		keys = append(keys, out.AttemptID)
	}
	s.batches, s.at, s.last = append(s.batches, keys), append(s.at, time.Now()), batch
	if s.takes > 0 {
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
		}
	}
	if s.answer != nil {
		return s.answer(batch)
	}
	return ctx.Err()
}

// seen returns the batches so far and forgets them.
func (s *server) seen() [][]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.batches
	s.batches = nil
	return b
}

func (s *server) set(answer func([]job.Outcome) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// rig is an outbox on a store whose writer runs.
type rig struct {
	t      *testing.T
	store  *queue.Store
	queue  *queue.Queue
	server *server
	outbox *outbox.Outbox
	stop   func() // ends Run and the writer; may be repeated
	cancel func() // ends Run
}

// open starts everything but the outbox's loop.
func open(t *testing.T, b queue.Disk, c outbox.Config) *rig {
	t.Helper()
	store, err := queue.Open(b, queue.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, store: store, server: &server{}}
	r.queue = store.Queue("outbox", queue.QueueConfig{Capacity: 1000, KeepDead: 100})
	c.Store, c.Queue, c.Send = store, r.queue, r.server
	if c.Interval == 0 {
		c.Interval = -1
	}
	if r.outbox, err = outbox.New(c); err != nil {
		t.Fatal(err)
	}
	//nolint:usetesting // The store outlives the outbox's loop, which stop ends first, in a cleanup too.
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { _ = store.Run(ctx) })
	r.cancel = func() {}
	r.stop = sync.OnceFunc(func() {
		r.cancel()
		cancel()
		run.Wait()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(r.stop)
	return r
}

// run starts the outbox's loop.
func (r *rig) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.outbox.Run(ctx) }()
	r.cancel = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Error(err)
		}
	})
}

// inBubble runs a test on fake time with a folder in memory. The rig holds the
// bubble's T.
func inBubble(t *testing.T, c outbox.Config, test func(r *rig)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := open(t, mem.New(), c)
		test(r)
		r.stop()
	})
}

func outcome(id int64) job.Outcome {
	return job.Outcome{AttemptID: id, TriggeredAt: day, State: job.Succeeded, Message: "done", EndedAt: day.Add(time.Second)}
}

func (r *rig) put(ids ...int64) {
	r.t.Helper()
	err := r.store.Update(context.Background(), func(tx *queue.Tx) error {
		for _, id := range ids {
			if err := r.outbox.Put(tx, outcome(id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) stats() queue.Stats {
	r.t.Helper()
	var st queue.Stats
	err := r.store.View(context.Background(), func(tx *queue.Tx) (err error) {
		st, err = r.queue.Stats(tx)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return st
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: (-want +got)\n%s", what, diff)
	}
}

func series(from, to int64) []int64 {
	var ids []int64
	for id := from; id <= to; id++ {
		ids = append(ids, id)
	}
	return ids
}

var errUndo = errors.New("undo this")
