package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/orthd/orth/job"
)

// formatVersion is the layout of the buckets. A file with a higher one was
// written by a newer version and is refused.
const formatVersion = 1

// errNothing rolls back a transaction that changed nothing, to save the disk a
// commit.
var errNothing = errors.New("nothing to commit")

// Store is a durable file of named queues with one group-committing writer.
// All methods may be called from any goroutine.
type Store struct {
	backend Backend
	config  Config

	requests chan *request
	started  atomic.Bool
	stopping chan struct{} // closed by Run: nothing new is taken
	ended    chan struct{} // closed by Run: nothing more is served

	// Of the writer goroutine only.
	batch    []*request
	failures int // commits failed in a row
}

// Open checks the file's format, mends what is damaged and returns the store.
// A file of a newer version is refused with job.Conflict. The back end belongs
// to the store once Open succeeds; otherwise it stays the caller's to close.
//
// Items in processing stay there: only their owner knows whether work that was
// cut off may run again. It lists them and acks, nacks or buries each.
func Open(b Backend, c Config) (*Store, error) {
	s := &Store{
		backend: b, config: c.withDefaults(),
		stopping: make(chan struct{}), ended: make(chan struct{}),
	}
	s.requests = make(chan *request, s.config.Group)
	var t *turn
	err := b.Update(func(txn Txn) error {
		t = newTurn(txn, true)
		if err := t.open(); err != nil {
			return err
		}
		if !t.dirty {
			return errNothing
		}
		return nil
	})
	if err != nil && !errors.Is(err, errNothing) {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	s.report(t)
	return s, nil
}

// Queue returns the queue of the name, which consists of letters, digits and
// dashes; another name is a programmer's error and panics. The queue comes
// into being with its first item.
func (s *Store) Queue(name string, c QueueConfig) *Queue {
	if !validName(name) {
		panic(fmt.Sprintf("queue: the name %q must be letters, digits and dashes", name))
	}
	return newQueue(name, c)
}

// Update runs fn in a transaction shared with other callers' and returns once
// the commit is durable. fn runs on the writer goroutine, so it must not block
// or use the store but through tx. It may be called more than once, so it must
// have no effects but through tx and variables it overwrites. fn's error undoes
// fn's own changes and is returned as it is.
//
// A transaction that certainly left nothing, because the writer has ended or the
// disk refused it, is job.Unavailable. A commit that failed and may have taken
// effect is job.Ambiguous: the next Update or View sees which it is. Before
// [Store.Run] has begun, Update waits for it. When ctx ends while fn still
// waits for its turn, fn will never be called and ctx's error is returned;
// after that Update waits for the commit.
func (s *Store) Update(ctx context.Context, fn func(tx *Tx) error) error {
	r := &request{fn: fn, done: make(chan error, 1)}
	if err := s.submit(ctx, r); err != nil {
		return err
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		if r.withdraw() {
			return waitError(ctx)
		}
	case <-s.ended:
		if r.withdraw() {
			return errStopped()
		}
	}
	return <-r.done
}

func (s *Store) submit(ctx context.Context, r *request) error {
	switch {
	case ctx.Err() != nil:
		return waitError(ctx)
	case s.isStopping():
		return errStopped()
	}
	select {
	case s.requests <- r:
		return nil
	case <-s.stopping:
		return errStopped()
	case <-ctx.Done():
		return waitError(ctx)
	}
}

func (s *Store) isStopping() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}

// View runs fn on a consistent snapshot, on the caller's goroutine and beside
// the writer. fn must not call Update: a back end may deadlock. fn's error is
// returned as it is; a back end that cannot be read is job.Unavailable.
func (s *Store) View(ctx context.Context, fn func(tx *Tx) error) error {
	if ctx.Err() != nil {
		return waitError(ctx)
	}
	var t *turn
	var own error
	err := s.backend.View(func(txn Txn) error {
		t = newTurn(txn, false)
		own = fn(&Tx{turn: t})
		return own
	})
	if t != nil && len(t.suspects) > 0 {
		s.askMend(t.suspects)
	}
	if own != nil {
		return own
	}
	if err != nil {
		return job.Errorf(job.Unavailable, "read the queue: %w", err)
	}
	return nil
}

// askMend leaves damage met by a view to the writer. When that is busy, the
// next to meet the damage asks again.
func (s *Store) askMend(queues map[string]bool) {
	r := &request{done: make(chan error, 1), fn: func(tx *Tx) error {
		for name := range queues {
			tx.turn.suspect(name)
		}
		return nil
	}}
	select {
	case s.requests <- r:
	default:
	}
}

// Backup writes a consistent copy of the file while the store is in use. A
// back end that cannot do it gives job.Invalid.
func (s *Store) Backup(w io.Writer) error {
	b, ok := s.backend.(Backuper)
	if !ok {
		return job.Errorf(job.Invalid, "this kind of queue cannot be backed up")
	}
	if err := b.Backup(w); err != nil {
		return fmt.Errorf("back up the queue: %w", err)
	}
	return nil
}

// Close releases the file. Call it after Run has returned: a running writer
// and later calls get errors of job.Unavailable.
func (s *Store) Close() error {
	if err := s.backend.Close(); err != nil {
		return fmt.Errorf("close the queue: %w", err)
	}
	return nil
}

func waitError(ctx context.Context) error {
	return fmt.Errorf("wait for the queue: %w", context.Cause(ctx))
}

func errStopped() error {
	return job.Errorf(job.Unavailable, "the queue is stopped")
}

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
