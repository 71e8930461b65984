package service

import (
	"context"
	"time"

	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/thread"
)

// Tasks returns up to limit tasks of a place that arrived after one, in the order of arrival. To page, pass the last one's Seq.
func (s *Service) Tasks(ctx context.Context, where ledger.Place, after uint64, limit int) ([]ledger.Task, error) {
	return s.ledger.Tasks(ctx, where, after, limit)
}

// Task returns a task; job.NotFound when it is nowhere.
func (s *Service) Task(ctx context.Context, id ledger.ID) (ledger.Task, error) {
	return s.ledger.Task(ctx, id)
}

// Redrive has dead letters tried again, at once and with all their tries: all of them or, with an error, none. It is job.NotFound
// when one is none, job.Full when there is no room.
func (s *Service) Redrive(ctx context.Context, ids ...ledger.ID) error {
	if err := s.ledger.Redrive(ctx, time.Now(), ids...); err != nil {
		return err
	}
	s.adopt(ctx, ids)
	return nil
}

// Purge removes dead letters: all of them or, with an error, none. What they wanted may be offered again.
func (s *Service) Purge(ctx context.Context, ids ...ledger.ID) error {
	return s.ledger.Purge(ctx, ids...)
}

// Retry returns how what failed is tried again.
func (s *Service) Retry() ledger.Retry { return s.ledger.Retry() }

// SetRetry changes it for all that fails from then on, and keeps it. A value outside its bounds is job.Invalid.
func (s *Service) SetRetry(ctx context.Context, r ledger.Retry) error {
	return s.ledger.SetRetry(ctx, r)
}

// Profit returns what all executions have brought, and up to limit threads' own accounts behind that of a thread.
func (s *Service) Profit(ctx context.Context, after thread.Key, limit int) (ledger.Profit, error) {
	return s.ledger.Profit(ctx, after, limit)
}
