package service

import (
	"context"
	"slices"
	"sync"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/ledger"
)

const (
	mostReaders = 1000
	readerRoom  = 32 // steps that wait for a reader
)

// readers follow tasks.
type readers struct {
	mu     sync.Mutex
	of     map[ledger.ID][]*reader
	count  int
	closed bool
}

type reader struct{ steps chan Progress }

// Follow returns the steps of a task from now on. The channel is closed when the task has ended, when ctx ends, and when the
// service does; a reader that is slow misses steps, but not the last one. At most 1,000 follow at the same time: job.Full. A task
// that is not there, or a dead letter, is job.NotFound.
func (s *Service) Follow(ctx context.Context, id ledger.ID) (<-chan Progress, error) {
	r := &reader{steps: make(chan Progress, readerRoom)}
	if err := s.readers.addReader(id, r); err != nil {
		return nil, err
	}
	s.mu.Lock()
	there := s.board.entries[id] != nil
	s.mu.Unlock()
	if !there {
		s.readers.remove(id, r)
		return nil, job.Errorf(job.NotFound, "task %v is not under way", id)
	}
	context.AfterFunc(ctx, func() { s.readers.remove(id, r) })
	return r.steps, nil
}

func (r *readers) addReader(id ledger.ID, one *reader) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return job.Errorf(job.Unavailable, "the service has ended")
	case r.count >= mostReaders:
		return job.Errorf(job.Full, "%d follow tasks already: try again later", mostReaders)
	}
	r.of[id] = append(r.of[id], one)
	r.count++
	return nil
}

func (r *readers) remove(id ledger.ID, one *reader) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.of[id]
	at := slices.Index(list, one)
	if at < 0 {
		return
	}
	close(one.steps)
	r.count--
	if list = slices.Delete(list, at, at+1); len(list) == 0 {
		delete(r.of, id)
		return
	}
	r.of[id] = list
}

// sendStep sends a step to the readers that have room for it.
func (r *readers) sendStep(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.of[p.Task] {
		select {
		case one.steps <- p:
		default:
		}
	}
}

// sendLast gives the last step to all, and closes.
func (r *readers) sendLast(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.of[p.Task] {
		select {
		case one.steps <- p:
		default: // the oldest makes room
			select {
			case <-one.steps:
			default:
			}
			one.steps <- p
		}
		close(one.steps)
		r.count--
	}
	delete(r.of, p.Task)
}

// close ends all.
func (r *readers) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, list := range r.of {
		for _, one := range list {
			close(one.steps)
		}
	}
	clear(r.of)
	r.count = 0
}
