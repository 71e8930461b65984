package native

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// The limits of what is gathered for one executor.
const (
	maxBatchBytes = 4 << 20  // of one request, unless one task has more
	maxFlights    = 2        // requests under way at once
	maxGathered   = 2_048    // tasks that wait for a request
	maxHeldBytes  = 16 << 20 // that they have
	maxLanes      = 16_384   // executors whose batch is remembered
)

// deliverFunc sends tasks to an executor in one request, and returns one answer for
// each, in their order, or an error for all of them. Its time limit is its own.
type deliverFunc func(ctx context.Context, address string, tasks []*sending) ([]error, error)

// batcher gathers tasks that go to the same executor at the same time into few
// requests. The first goes at once; those that come while maxFlights requests are
// under way go together with the next one. It has no goroutines: whoever sends a task
// carries those of others along.
type batcher struct {
	deliver  deliverFunc
	patience time.Duration // how long a task waits for its request

	mu      sync.Mutex
	lanes   map[string]*batchLane // guarded by mu; by address, while something is under way
	batches map[string]int        // guarded by mu: the most tasks of a request, where that is known
}

// batchLane is what waits for one executor. All of it is guarded by batcher.mu.
type batchLane struct {
	waiting []*sending
	bytes   int // of those that wait
	flights int
}

// sending is one task on its way. turn and done are told to its sender.
type sending struct {
	attempt int64
	body    []byte        // the task as it is written
	follow  bool          // its log is to be brought
	turn    chan struct{} // of size 1: its sender is to carry the next request
	done    chan error    // of size 1: what became of it
	carrier bool          // turn was told; guarded by batcher.mu
}

func newBatcher(patience time.Duration, deliver deliverFunc) *batcher {
	return &batcher{deliver: deliver, patience: patience, lanes: make(map[string]*batchLane), batches: make(map[string]int)}
}

// limit remembers how many tasks the executor takes in one request.
func (b *batcher) limit(address string, tasks int) {
	if tasks <= 0 {
		tasks = defaultBatch
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.batches[address]; !known && len(b.batches) >= maxLanes {
		clear(b.batches)
	}
	b.batches[address] = min(tasks, maxTasks)
}

// send brings one task to the executor. When ctx ends before its request leaves, the
// error is Unreachable, and Full when the patience does; later the request goes on,
// until its own end.
func (b *batcher) send(ctx context.Context, address string, s *sending) error {
	s.turn, s.done = make(chan struct{}, 1), make(chan error, 1)
	if err := b.enter(address, s); err != nil {
		return err
	}
	select {
	case <-s.turn:
		return b.carry(ctx, address, s)
	default:
	}
	patience := time.NewTimer(b.patience)
	defer patience.Stop()
	var err error
	select {
	case err := <-s.done:
		return err
	case <-s.turn:
		return b.carry(ctx, address, s)
	case <-ctx.Done():
		err = job.Errorf(job.Unreachable, "the task for executor %s was not sent: %w", address, ctx.Err())
	case <-patience.C:
		err = job.Errorf(job.Full, "executor %s does not keep up: the task was not sent within %s", address, b.patience)
	}
	if b.withdraw(address, s) {
		return err
	}
	select {
	case err := <-s.done:
		return err
	case <-s.turn: // it was told to carry the others, too
		return b.carry(ctx, address, s)
	}
}

// enter puts the task behind the others, and lets its sender carry it when it may
// leave at once.
func (b *batcher) enter(address string, s *sending) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	lane := b.lanes[address]
	if lane == nil {
		lane = &batchLane{}
		b.lanes[address] = lane
	}
	if len(lane.waiting) >= maxGathered || lane.bytes+len(s.body) > maxHeldBytes {
		return job.Errorf(job.Full, "%d tasks (%d bytes) wait already to be sent to executor %s", len(lane.waiting), lane.bytes, address)
	}
	lane.waiting = append(lane.waiting, s)
	lane.bytes += len(s.body)
	if lane.flights < maxFlights {
		lane.flights++ // so all others that wait carry something themselves
		s.lead()
	}
	return nil
}

// lead gives the turn to its sender. The batcher's mu is held.
func (s *sending) lead() {
	s.carrier = true
	s.turn <- struct{}{}
}

// withdraw takes a task back that no request has and whose sender carries nothing.
func (b *batcher) withdraw(address string, s *sending) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	lane := b.lanes[address]
	if lane == nil || s.carrier {
		return false
	}
	i := slices.Index(lane.waiting, s)
	if i < 0 {
		return false
	}
	lane.waiting = slices.Delete(lane.waiting, i, i+1)
	lane.bytes -= len(s.body)
	return true
}

// carry sends one request with the task of its sender and those behind it, tells
// each what became of it, and passes the turn on. The request goes on when ctx ends:
// others wait for it.
func (b *batcher) carry(ctx context.Context, address string, s *sending) error {
	batch := b.load(address, s)
	defer b.land(address)
	ctx = context.WithoutCancel(ctx)
	for i, err := range b.fly(ctx, address, batch) {
		batch[i].done <- err
	}
	return <-s.done
}

// load takes the tasks of the next request: that of s first.
func (b *batcher) load(address string, s *sending) []*sending {
	b.mu.Lock()
	defer b.mu.Unlock()
	lane := b.lanes[address]
	limit := orElse(b.batches[address], defaultBatch)
	batch := []*sending{s}
	size := len(s.body)
	rest := lane.waiting[:0]
	for _, w := range lane.waiting {
		switch {
		case w == s:
		case len(batch) < limit && size+len(w.body) <= maxBatchBytes && !w.carrier:
			batch = append(batch, w)
			size += len(w.body)
		default:
			rest = append(rest, w)
		}
	}
	clear(lane.waiting[len(rest):])
	lane.waiting = rest
	lane.bytes -= size
	return batch
}

// land ends a request, and gives the turn to the first that waits.
func (b *batcher) land(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lane := b.lanes[address]
	for _, w := range lane.waiting {
		if !w.carrier {
			w.lead()
			return
		}
	}
	if lane.flights--; lane.flights == 0 && len(lane.waiting) == 0 {
		delete(b.lanes, address)
	}
}

// fly sends the tasks and returns what became of each. A request that is refused as
// a whole, because of what is in it, was not carried out: so its halves are tried.
func (b *batcher) fly(ctx context.Context, address string, batch []*sending) []error {
	answers, err := b.deliver(ctx, address, batch)
	if err == nil {
		return answers
	}
	if job.Is(err, job.Invalid) && len(batch) > 1 {
		half := len(batch) / 2
		return append(b.fly(ctx, address, batch[:half]), b.fly(ctx, address, batch[half:])...)
	}
	answers = make([]error, len(batch))
	for i := range answers {
		answers[i] = err
	}
	return answers
}
