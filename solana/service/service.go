package service

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/build"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/thread"
)

// builder makes transactions.
type builder interface {
	Build(ctx context.Context, key thread.Key, h build.Hint) (*build.Built, error)
}

// Service executes threads. Its methods may be called from any goroutine.
type Service struct {
	config   Config
	ledger   *ledger.Ledger
	builder  builder
	watcher  *submit.Watcher
	observer Observer // nil: it is fed by hand
	// firstSalt is where the salts of transactions begin.
	firstSalt uint64

	started atomic.Bool
	// stopping is closed when nothing new is begun any more.
	stopping chan struct{}
	// wakes has the dispatcher look at the board.
	wakes chan struct{}
	// executions are the goroutines of entries that are worked on or on their way.
	executions sync.WaitGroup

	mu      sync.Mutex
	board   *board
	flights map[ledger.ID]time.Time // since when
	trouble Trouble
	tally   tally

	hooks   sync.Mutex // held while one is called
	readers readers
}

// New returns a service that is fed by its caller: with Offer, Tick, Changed and Gone.
func New(c Config) (*Service, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Service{
		config: c, ledger: c.Ledger, stopping: make(chan struct{}), wakes: make(chan struct{}, 1),
		firstSalt: uint64(random() * salts),
		board:     newBoard(), flights: make(map[ledger.ID]time.Time), tally: newTally(),
		readers: readers{of: make(map[ledger.ID][]*reader)},
	}
	s.builder = build.New(build.Config{
		Profile: c.Profile, Signer: c.Signer, Chain: counted{c.Chain}, Forgo: c.Forgo, Floor: c.Floor, MostLoss: c.MostLoss, Batch: c.Batch,
	})
	s.watcher = submit.NewWatcher(submit.WatcherConfig{
		Chain: c.Chain, Again: s.again, Every: c.Watch, Resend: c.Resend, Most: 2 * mostInFlight, Logger: c.Logger,
	})
	return s, nil
}

// NewWithObserver returns a service that is fed by an observer, which the caller runs.
func NewWithObserver(c Config, o Observer) (*Service, error) {
	if o == nil {
		return nil, job.FieldErrorf("observer", "is missing: without one New is for you")
	}
	s, err := New(c)
	if err != nil {
		return nil, err
	}
	s.observer = o
	return s, nil
}

// again sends bytes once more, for the watcher.
func (s *Service) again(ctx context.Context, wire []byte) (submit.Sent, error) {
	s.mu.Lock()
	s.tally.resent++
	s.mu.Unlock()
	return s.config.Submitter.Submit(ctx, wire)
}

// Run executes what is offered until ctx ends; first it asks what became of everything that was on its way when an earlier process
// ended. Then it takes nothing more, waits for what is on its way for as long as Drain, and returns nil. It may be called once.
func (s *Service) Run(ctx context.Context) error {
	if !s.started.CompareAndSwap(false, true) {
		return job.Errorf(job.Conflict, "the service was run before")
	}
	rest := context.WithoutCancel(ctx)
	endWriter := background(rest, s.ledger.Run)
	endWatcher := background(rest, s.watcher.Run)
	work, cancel := context.WithCancel(rest)
	defer cancel()
	err := s.loadLedger(ctx, work)
	if err == nil {
		feeding, endFeed := ctx, func() error { return nil }
		if s.observer != nil {
			endFeed = background(feeding, s.takeEvents)
		}
		endChores := background(rest, s.chores)
		s.dispatch(ctx, work)
		err = errors.Join(endFeed(), endChores())
	}
	close(s.stopping)
	s.drain(cancel)
	err = errors.Join(err, endWatcher(), endWriter())
	s.readers.close()
	return err
}

// background runs a function until it is cancelled, and returns a function that cancels it
// and waits for it.
func background(ctx context.Context, run func(context.Context) error) (end func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// dispatch gives entries to workers until ctx ends.
func (s *Service) dispatch(ctx, work context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		e, next := s.takeReady(time.Now())
		if e != nil {
			s.executions.Go(func() { s.execute(work, e) })
			continue
		}
		timer.Reset(next)
		select {
		case <-ctx.Done():
		case <-s.wakes:
		case <-timer.C:
		}
	}
}

// takeReady returns the next entry to work on, or after how long there may be one.
func (s *Service) takeReady(now time.Time) (*taskEntry, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.board.wakeDue(now)
	room := s.board.working < s.config.Workers && s.board.working+s.board.flying < s.config.InFlight
	if room && !s.trouble.IsTrouble() {
		if e := s.board.takeNext(); e != nil {
			return e, 0
		}
	}
	next, some := s.board.nextWake()
	if !some {
		return nil, time.Hour
	}
	return nil, min(max(next.Sub(now), time.Millisecond), time.Hour)
}

// wakeDispatcher has the dispatcher look at the board.
func (s *Service) wakeDispatcher() {
	select {
	case s.wakes <- struct{}{}:
	default:
	}
}

// isStopping reports whether nothing new is begun any more.
func (s *Service) isStopping() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}

// drain waits for what is worked on or on its way, and ends the wait of what is left.
func (s *Service) drain(cancel context.CancelFunc) {
	all := make(chan struct{})
	go func() {
		s.executions.Wait()
		close(all)
	}()
	timer := time.NewTimer(s.config.Drain)
	defer timer.Stop()
	select {
	case <-all:
	case <-timer.C:
		cancel()
		<-all
	}
}

// chores are what is done now and then: dead letters expire.
func (s *Service) chores(ctx context.Context) error {
	const every = 10 * time.Minute
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		n, err := s.ledger.Expire(ctx, time.Now(), 1000)
		switch {
		case err != nil && ctx.Err() == nil:
			s.config.Logger.Warn("dead_letters_cannot_expire", "error", err)
		case n > 0:
			s.config.Logger.Info("dead_letters_expired", "count", n)
		}
	}
}
