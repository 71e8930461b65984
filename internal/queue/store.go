package queue

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/queue/journal"
	"github.com/orthd/orth/job"
)

// Disk is the folder of a store.
type Disk = journal.Disk

// Folder returns the folder of a path, which is made when it is missing.
func Folder(path string) Disk { return journal.Folder(path) }

// Store is a durable folder of named queues with one group-committing writer.
// All methods may be called from any goroutine.
type Store struct {
	config  Config
	journal *journal.Journal

	started atomic.Bool
	woken   chan struct{} // has a value when Run is to look at the line

	line     sync.Mutex
	requests []*request // guarded by line: those that wait for the writer
	stopping bool       // guarded by line: nothing new is taken
	spare    []*request // guarded by line: to be used again

	names  sync.Mutex // guards queues
	queues map[string]*state

	// gate is held, by a value in it, by a View, and by the writer from the first
	// function of a group until the group is written, so a View sees nothing that
	// is not. Who waits gets it in turn. It guards all that follows, and the
	// states.
	gate     chan struct{}
	frame    frame
	loose    records   // what the operations have that the journal has not forced
	looseAt  time.Time // when the first of them was written
	meta     map[string][]byte
	seq      uint64 // the last one given out
	damaged  uint64
	suspects []*row     // found damaged, to be set aside
	holdings []*holding // for each segment of the journal
	live     int64      // bytes of whole records that are needed
	memory   int64      // bytes of bodies in memory
	cleanTo  uint64     // segments up to this number are to be cleaned, whatever the size
	cleaned  *holding   // the frame has all that is left in it
	cleaning bool       // the last clean has come forward
	now      time.Time
	closed   bool

	// turn is held, by a value in it, by the goroutine that serves a group. It guards
	// what follows.
	turn     chan struct{}
	batch    []*request
	many     bool // the last group was of more than one
	timer    *time.Timer
	armed    time.Duration // what the timer was set to; 0 when it is not
	failures int           // commits failed in a row
}

// Open opens the store of a folder. Damage is reported, what can be read is kept,
// and items that were written before it are marked as uncertain. A folder that
// another process has open, or that another version wrote, is job.Conflict.
//
// Items in processing stay there: only their owner knows whether work that was
// cut off may run again. It lists them and acks, nacks or buries each.
func Open(d Disk, c Config) (*Store, error) {
	s := &Store{
		config: c.withDefaults(),
		woken:  make(chan struct{}, 1), gate: make(chan struct{}, 1), turn: make(chan struct{}, 1),
		queues: make(map[string]*state), meta: make(map[string][]byte), now: time.Now(),
		timer: time.NewTimer(time.Hour),
	}
	s.timer.Stop()
	r := newReplay(s)
	var err error
	s.journal, err = journal.Open(d, journal.Config{Segment: s.config.Segment, Logger: s.config.Logger}, r)
	if err != nil {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	s.holdings = r.aligned(s.journal.Segments())
	whole := r.finish()
	s.frame.seq = s.seq
	if n := s.journal.Damage(); n > 0 {
		s.damaged += uint64(n)
		s.config.Hooks.Damaged(n)
	}
	if !whole || s.journal.Damage() > 0 {
		s.renew()
	}
	return s, nil
}

// Queue returns the queue of the name, which consists of letters, digits and
// dashes; another name is a programmer's error and panics. The queue comes
// into being with its first item.
func (s *Store) Queue(name string, c QueueConfig) *Queue {
	if !validName(name) {
		panic(fmt.Sprintf("queue: the name %q must be letters, digits and dashes", name))
	}
	return &Queue{name: name, config: c.withDefaults(), store: s, state: s.state(name)}
}

func (s *Store) state(name string) *state {
	s.names.Lock()
	defer s.names.Unlock()
	st := s.queues[name]
	if st == nil {
		st = newState(name)
		s.queues[name] = st
	}
	return st
}

// Update runs fn in a transaction shared with other callers' and returns once
// the commit is durable. fn runs on the goroutine that writes, which may be another
// caller's, so it must not block or use the store but through tx, and must have no effects but through tx and
// variables it overwrites. fn's error undoes fn's own changes and is returned as
// it is.
//
// A transaction that certainly left nothing, because the writer has ended or the
// disk refused it, is job.Unavailable. A commit that failed and may have taken
// effect is job.Ambiguous: an Update that succeeds sees that it has not, and while
// none succeeds only a restart tells. Before [Store.Run] has begun, Update waits for
// it. When ctx ends while fn still waits for its turn, fn will never be called and
// ctx's error is returned; after that Update waits for the commit.
func (s *Store) Update(ctx context.Context, fn func(tx *Tx) error) error {
	return s.update(ctx, fn, false)
}

// UpdateSoon is Update for changes that need not outlive a power cut at once, because
// what follows from their loss is harmless: it returns when the operating system has them,
// so they outlive the process. They are durable with the next Update, or a tenth of a
// second later. A power cut before that undoes the last of them.
func (s *Store) UpdateSoon(ctx context.Context, fn func(tx *Tx) error) error {
	return s.update(ctx, fn, true)
}

func (s *Store) update(ctx context.Context, fn func(tx *Tx) error, soon bool) error {
	if ctx.Err() != nil {
		return waitError(ctx)
	}
	r := s.enqueue(fn, soon)
	if r == nil {
		return errStopped()
	}
	s.leadGroup()
	select {
	case err := <-r.done:
		s.release(r)
		return err
	case <-ctx.Done():
	}
	if r.withdraw() {
		return waitError(ctx) // the writer drops it
	}
	err := <-r.done
	s.release(r)
	return err
}

// enqueue puts a function at the end of the line. It returns nil when nothing is
// taken any more; every other one is served or withdrawn.
func (s *Store) enqueue(fn func(tx *Tx) error, soon bool) *request {
	s.line.Lock()
	defer s.line.Unlock()
	if s.stopping {
		return nil
	}
	var r *request
	if n := len(s.spare); n > 0 {
		r = s.spare[n-1]
		s.spare = s.spare[:n-1]
		r.state.Store(requestWaiting)
	} else {
		r = &request{done: make(chan error, 1)}
	}
	r.fn, r.soon = fn, soon
	s.requests = append(s.requests, r)
	return r
}

// keptRequests is how many requests wait to be used again.
const keptRequests = DefaultGroup

// release keeps a request that was answered for the next caller.
func (s *Store) release(r *request) {
	r.fn, r.err = nil, nil
	s.line.Lock()
	defer s.line.Unlock()
	if len(s.spare) < keptRequests {
		s.spare = append(s.spare, r)
	}
}

// View runs fn on the caller's goroutine, between two commits: it waits for one
// that is under way. fn must not call the store but through tx, and must be short.
// fn's error is returned as it is.
func (s *Store) View(ctx context.Context, fn func(tx *Tx) error) error {
	if ctx.Err() != nil {
		return waitError(ctx)
	}
	select {
	case s.gate <- struct{}{}:
	case <-ctx.Done():
		return waitError(ctx)
	}
	defer func() { <-s.gate }()
	if s.closed {
		return errClosed()
	}
	met := len(s.suspects)
	err := fn(&Tx{store: s})
	if len(s.suspects) > met {
		s.askMend()
	}
	return err
}

// askMend has the writer set damaged items aside, with its next group.
func (s *Store) askMend() {
	s.enqueue(func(*Tx) error { return nil }, false)
	s.wakeWriter()
}

// Backup writes a copy of the folder as a tar archive while the store is in use.
// The copy is what was durable at some moment during the call.
func (s *Store) Backup(w io.Writer) error {
	s.gate <- struct{}{}
	if s.closed {
		<-s.gate
		return errClosed()
	}
	snapshot := s.journal.Snapshot()
	<-s.gate
	err := snapshot.Write(w)
	s.gate <- struct{}{}
	snapshot.Release()
	<-s.gate
	if err != nil {
		return fmt.Errorf("back up the queue: %w", err)
	}
	return nil
}

// Close releases the folder. Call it after Run has returned: a running writer
// and later calls get errors of job.Unavailable.
func (s *Store) Close() error {
	s.gate <- struct{}{}
	defer func() { <-s.gate }()
	if s.closed {
		return nil
	}
	s.closed = true
	if err := s.journal.Close(); err != nil {
		return fmt.Errorf("close the queue: %w", err)
	}
	return nil
}

func waitError(ctx context.Context) error {
	return fmt.Errorf("wait for the queue: %w", context.Cause(ctx))
}

func errStopped() error { return job.Errorf(job.Unavailable, "the queue is stopped") }

func errClosed() error { return job.Errorf(job.Unavailable, "the queue is closed") }

func validName(name string) bool {
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-':
		default:
			return false
		}
	}
	return name != ""
}
