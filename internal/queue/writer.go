package queue

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/job"
)

// request is one caller's function on its way through the writer.
type request struct {
	fn    func(*Tx) error
	state atomic.Int32 // requestWaiting, then one of the others for good
	done  chan error   // one result, from the writer

	// Of the writer goroutine only.
	err      error
	onCommit []func()
}

const (
	requestWaiting = iota
	requestTaken
	requestWithdrawn
)

func (r *request) take() bool     { return r.state.CompareAndSwap(requestWaiting, requestTaken) }
func (r *request) withdraw() bool { return r.state.CompareAndSwap(requestWaiting, requestWithdrawn) }

// Run is the writer: it serves Update until ctx ends, finishes what was
// submitted by then, and returns nil. Run may be called once; a second call
// returns job.Conflict.
func (s *Store) Run(ctx context.Context) error {
	if !s.started.CompareAndSwap(false, true) {
		return job.Errorf(job.Conflict, "the queue's writer was started before")
	}
	defer close(s.ended)
	for {
		select {
		case <-ctx.Done():
			close(s.stopping)
			for s.serve(nil) {
			}
			return nil
		case r := <-s.requests:
			s.serve(r)
		}
	}
}

// serve commits one group: first, and what else waits. It reports whether
// there was anything.
func (s *Store) serve(first *request) bool {
	batch := s.batch[:0]
	if first != nil && first.take() {
		batch = append(batch, first)
	}
	// Callers that the last commit woke come back first: larger groups, and
	// no delay when nobody else is runnable.
	runtime.Gosched()
gather:
	for len(batch) < s.config.Group {
		select {
		case r := <-s.requests:
			if r.take() {
				batch = append(batch, r)
			}
		default:
			break gather
		}
	}
	if len(batch) > 0 {
		s.commit(batch)
	}
	s.batch = batch
	clear(s.batch)
	return len(batch) > 0
}

// commit runs a group in one transaction and tells every caller. Errors of
// functions are told after the commit too: they may rest on what a neighbour
// wrote, as a Duplicate does, and are void when that is not durable.
func (s *Store) commit(batch []*request) {
	began := time.Now()
	var t *turn
	committing := false
	err := s.backend.Update(func(txn Txn) error {
		t = newTurn(txn, true)
		if err := t.begin(); err != nil {
			return err
		}
		for _, r := range batch {
			r.onCommit, r.err = t.run(r.fn)
			if t.broken != nil {
				return t.broken
			}
		}
		if err := t.finish(); err != nil {
			return err
		}
		if !t.dirty {
			return errNothing
		}
		committing = true
		return nil
	})
	switch {
	case err == nil:
		s.committed(len(batch), time.Since(began))
		s.report(t)
	case errors.Is(err, errNothing):
	default:
		s.failed(err)
		kind := job.Unavailable
		if committing && !errors.Is(err, ErrUndone) {
			kind = job.Ambiguous
		}
		failure := job.Errorf(kind, "the queue cannot be written, see to the space and the health of its disk: %w", err)
		for _, r := range batch {
			r.done <- failure
		}
		return
	}
	for _, r := range batch {
		for _, wake := range r.onCommit {
			wake()
		}
	}
	for _, r := range batch {
		r.done <- r.err
	}
}

func (s *Store) committed(functions int, took time.Duration) {
	if s.failures > 0 {
		s.config.Logger.Info("queue_writes_again", "failed_commits", s.failures)
		s.failures = 0
	}
	s.config.Hooks.Committed(functions, took)
}

// failed logs the first failure in a row only: a full disk fails every turn.
func (s *Store) failed(err error) {
	if s.failures == 0 {
		s.config.Logger.Error("queue_commit_failed", "error", err)
	}
	s.failures++
	s.config.Hooks.Failed(err)
}

// report tells of damage that was mended by a committed turn.
func (s *Store) report(t *turn) {
	for name, rows := range t.mended {
		s.config.Logger.Error("queue_damage_set_aside", "queue", name, "rows", rows)
		s.config.Hooks.Damaged(name, rows)
	}
}
