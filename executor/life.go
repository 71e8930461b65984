package executor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner"
	"github.com/orthd/orth/job"
)

// lifeWait bounds the reading of the queue for a beat.
const lifeWait = 2 * time.Second

// self describes this run of the executor to servers: its incarnation, its work, and its
// attempts.
type self struct {
	incarnation string
	startedAt   time.Time
	every       time.Duration // between beats
	runner      *runner.Runner
	store       *queue.Store
	queues      []*queue.Queue // tasks and outcomes: an attempt goes from one to the other in one transaction
	outcomes    *queue.Queue
}

func newSelf(every time.Duration, run *runner.Runner, store *queue.Store, tasks, outcomes *queue.Queue) *self {
	var id [12]byte
	_, _ = rand.Read(id[:]) // it never returns an error
	return &self{
		incarnation: hex.EncodeToString(id[:]), startedAt: time.Now(), every: every, runner: run, store: store,
		queues: []*queue.Queue{tasks, outcomes}, outcomes: outcomes,
	}
}

// newLife is the content of the next beat. When the attempts are too many, or the queue cannot
// be read, it omits them.
func (s *self) newLife() job.Life {
	load := s.runner.Load()
	l := job.Life{
		Incarnation: s.incarnation, StartedAt: s.startedAt, Every: s.every,
		Load: &job.Load{Running: load.Running, Waiting: max(load.Waiting, 0)}, Draining: s.runner.Draining(),
	}
	ctx, cancel := context.WithTimeout(context.Background(), lifeWait)
	defer cancel()
	// Memory first: what ends between the two readings is in the outbox then.
	running := s.runner.Running()
	err := s.store.View(ctx, func(tx *queue.Tx) (err error) {
		l.Holds, l.Whole, err = s.holds(tx, running)
		return err
	})
	if err != nil {
		l.Holds, l.Whole = nil, false
	}
	return l
}

// holds lists the attempts that are in memory or in the queues. It returns false
// when there are more than a beat carries, or when some cannot be read. Dead
// letters are not held: their outcome is on its way, or will never come.
func (s *self) holds(tx *queue.Tx, running []int64) (holds []int64, whole bool, err error) {
	holds = running
	for _, q := range s.queues {
		count, err := q.Stats(tx)
		if err != nil || count.Scheduled+count.Processing > job.MaxHolds {
			return nil, false, err
		}
		listed := 0
		for _, place := range []queue.Place{queue.Scheduled, queue.Processing} {
			items, err := q.List(tx, place, 0, job.MaxHolds+1)
			if err != nil {
				return nil, false, err
			}
			listed += len(items)
			for _, it := range items {
				holds = append(holds, it.Key)
			}
		}
		if listed != count.Scheduled+count.Processing {
			return nil, false, nil
		}
	}
	slices.Sort(holds)
	holds = slices.Compact(holds)
	return holds, len(holds) <= job.MaxHolds, nil
}

// keeps counts the tasks and outcomes in the queues; one task when they cannot be read.
func (s *self) keeps() (n int) {
	ctx, cancel := context.WithTimeout(context.Background(), lifeWait)
	defer cancel()
	err := s.store.View(ctx, func(tx *queue.Tx) error {
		n = 0
		for _, q := range s.queues {
			count, err := q.Stats(tx)
			if err != nil {
				return err
			}
			n += count.Scheduled + count.Processing
		}
		return nil
	})
	if err != nil {
		return 1
	}
	return n
}
