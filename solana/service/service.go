package service

import (
	"context"
	"errors"

	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/thread"
)

// Service executes threads. Its methods may be called from any goroutine.
type Service struct{}

// New returns a service that is fed by its caller: with Offer, Tick, Changed and Gone.
func New(c Config) (*Service, error) { return nil, errors.ErrUnsupported }

// NewWithObserver returns a service that is fed by an observer, which the caller runs.
func NewWithObserver(c Config, o Observer) (*Service, error) { return nil, errors.ErrUnsupported }

// Run executes what is offered until ctx ends; first it asks what became of everything that was on its way when an earlier process
// ended. Then it takes nothing more, waits for what is on its way for as long as Drain, and returns nil. It may be called once.
func (s *Service) Run(ctx context.Context) error { return errors.ErrUnsupported }

// Offer has a thread executed that is due. It returns once that is on disk; what is known already is no error. It is job.Full when
// the ledger is, and job.Unavailable when the service has ended or the disk cannot be written.
func (s *Service) Offer(ctx context.Context, e observe.ThreadReady) error {
	return errors.ErrUnsupported
}

// OfferAll is Offer of up to 1,000 threads at once.
func (s *Service) OfferAll(ctx context.Context, events []observe.ThreadReady) error {
	return errors.ErrUnsupported
}

// Tick tells the chain's clock. An older one changes nothing.
func (s *Service) Tick(c observe.ClockUpdate) {}

// Changed tells a newer state of a thread.
func (s *Service) Changed(e observe.ThreadChanged) {}

// Gone tells that a thread is closed.
func (s *Service) Gone(e observe.ThreadGone) {}

// Stats returns how the service stands.
func (s *Service) Stats(ctx context.Context) (Stats, error) { return Stats{}, errors.ErrUnsupported }

// Samples returns Stats as figures for metrics; it takes ctx because it reads the ledger.
func (s *Service) Samples(ctx context.Context) ([]Sample, error) { return nil, errors.ErrUnsupported }

// Tasks and Task are those of the ledger.
func (s *Service) Tasks(ctx context.Context, where ledger.Place, after uint64, limit int) ([]ledger.Task, error) {
	return nil, errors.ErrUnsupported
}

// Task returns a task; job.NotFound when it is nowhere.
func (s *Service) Task(ctx context.Context, id ledger.ID) (ledger.Task, error) {
	return ledger.Task{}, errors.ErrUnsupported
}

// Redrive has dead letters tried again, at once and with all their tries: all of them or, with an error, none.
func (s *Service) Redrive(ctx context.Context, ids ...ledger.ID) error { return errors.ErrUnsupported }

// Purge removes dead letters: all of them or, with an error, none.
func (s *Service) Purge(ctx context.Context, ids ...ledger.ID) error { return errors.ErrUnsupported }

// Retry returns how what failed is tried again.
func (s *Service) Retry() ledger.Retry { return ledger.DefaultRetry() }

// SetRetry changes it for all that fails from then on, and keeps it. A value outside its bounds is job.Invalid.
func (s *Service) SetRetry(ctx context.Context, r ledger.Retry) error { return errors.ErrUnsupported }

// Profit returns what all executions have brought, and up to limit threads' own accounts behind that of a thread.
func (s *Service) Profit(ctx context.Context, after thread.Key, limit int) (ledger.Profit, error) {
	return ledger.Profit{}, errors.ErrUnsupported
}

// Follow returns the steps of a task from now on. The channel is closed when the task has ended, when ctx ends, and when the
// service does; a reader that is slow misses steps, but not the last one. At most 1,000 follow at the same time: job.Full.
func (s *Service) Follow(ctx context.Context, id ledger.ID) (<-chan Progress, error) {
	return nil, errors.ErrUnsupported
}
