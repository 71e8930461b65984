package observe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// Chain is read for what subscriptions have not reported.
type Chain interface {
	ProgramAccounts(ctx context.Context, c rpc.Commitment, program solana.PublicKey, prefix []byte) ([]rpc.Keyed, uint64, error)
	Accounts(ctx context.Context, c rpc.Commitment, keys ...solana.PublicKey) ([]*rpc.Account, uint64, error)
	Parts(ctx context.Context, c rpc.Commitment, offset, length uint64, keys ...solana.PublicKey) ([]*rpc.Account, uint64, error)
}

// Config sets what is observed.
type Config struct {
	Profile thread.Profile
	Chain   Chain
	// Endpoints are the addresses of websockets of nodes, ws or wss, up to 16. They may hold keys; nothing shows more of them than
	// the host. Without any, the chain is asked again and again.
	Endpoints []string
	// MostThreads is how many threads are followed. Defaults to 100,000, up to 1,000,000. Those beyond it are counted and left.
	MostThreads int
	// MostWatched is how many parts of accounts are watched for triggers, on each connection. Defaults to 500, up to 2,000: nodes bound the
	// subscriptions of a connection. Parts have 64 KiB at most.
	MostWatched int
	// Keepalive is how often a connection must show that it is one; it has half of that time for it. Defaults to 10 s.
	Keepalive time.Duration
	// Silence is how long the subscriptions may report no clock of the chain until nodes
	// are polled for it, every 400 ms. Defaults to 2 s.
	Silence time.Duration
	// Reconcile is how often all threads are listed, so that nothing is missed for longer. Defaults to 5 min.
	Reconcile time.Duration
	// Client makes the connections. Defaults to one that connects for 5 s at most. It must not bound requests by Timeout.
	Client *http.Client
	// Ticked is called for each slot with the first report of a subscription, and its time.
	// Several goroutines call it, and it must return at once. Optional.
	Ticked func(slot uint64, at time.Time)
	Logger *slog.Logger // defaults to none
}

// Bounds of a configuration.
const (
	mostEndpoints  = 16
	mostThreads    = 100_000
	mostWatched    = 500
	largestWatched = 2_000 // of MostWatched: all are asked for at once
)

// Observer observes. It is safe for concurrent use.
type Observer struct {
	config  Config
	sources []*source
	events  chan Event
	running atomic.Bool

	work    chan struct{} // there may be an event to emit
	reading chan struct{} // there may be something to read
	listing chan struct{} // the time of the next list has changed

	mu     sync.Mutex
	book   *book
	reads  reads
	listAt time.Time // when all threads are listed next
}

// New returns an observer that works while Run does.
func New(c Config) (*Observer, error) {
	if c.Chain == nil || c.Profile.Program == (thread.Key{}) {
		return nil, errors.New("an observer needs a chain and a profile of the thread program")
	}
	if len(c.Endpoints) > mostEndpoints {
		return nil, fmt.Errorf("%d websockets of nodes are given, %d are the limit", len(c.Endpoints), mostEndpoints)
	}
	defaulted := func(n *int, to, limit int) {
		if *n <= 0 {
			*n = to
		}
		*n = min(*n, limit)
	}
	defaulted(&c.MostThreads, mostThreads, 10*mostThreads)
	defaulted(&c.MostWatched, mostWatched, largestWatched)
	for d, to := range map[*time.Duration]time.Duration{&c.Keepalive: 10 * time.Second, &c.Silence: 2 * time.Second, &c.Reconcile: 5 * time.Minute} {
		if *d <= 0 {
			*d = to
		}
	}
	if c.Client == nil {
		c.Client = &http.Client{
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
				TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: 5 * time.Second,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	o := &Observer{
		config: c, book: newBook(c.Profile, c.MostThreads, c.MostWatched), events: make(chan Event),
		work: make(chan struct{}, 1), reading: make(chan struct{}, 1), listing: make(chan struct{}, 1),
	}
	names := make(map[string]int)
	for i, url := range c.Endpoints {
		s, err := newSource(o, url)
		if err != nil {
			return nil, fmt.Errorf("websocket %d: %w", i+1, err)
		}
		if names[s.name]++; names[s.name] > 1 {
			s.name = fmt.Sprintf("%s#%d", s.name, names[s.name])
		}
		o.sources = append(o.sources, s)
	}
	return o, nil
}

// Events returns the events. A slow receiver misses none that still holds: it gets the
// newest of a thread's states and the newest tick. A thread that is no longer due is not
// emitted. The channel is never closed.
func (o *Observer) Events() <-chan Event { return o.events }

// Run observes until ctx ends, and returns nil when all has ended. It runs once.
func (o *Observer) Run(ctx context.Context) error {
	if o.running.Swap(true) {
		return errors.New("the observer runs already")
	}
	var all sync.WaitGroup
	for _, s := range o.sources {
		all.Go(func() { s.keepConnected(ctx) })
	}
	first := time.Duration(0)
	if len(o.sources) > 0 {
		first = longestFirst
	}
	o.listWithin(first)
	all.Go(func() { o.listAll(ctx) })
	all.Go(func() { o.readWanted(ctx) })
	all.Go(func() { o.readClock(ctx) })
	o.emitEvents(ctx)
	all.Wait()
	return nil
}

// emitEvents emits events, one after the other.
func (o *Observer) emitEvents(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		o.mu.Lock()
		event, t := o.book.nextEvent(time.Now())
		wake, waits := o.book.nextWake()
		o.mu.Unlock()
		var out chan<- Event // nil is never ready
		if event != nil {
			out = o.events
		}
		if waits {
			timer.Reset(max(0, time.Until(wake)))
		} else {
			timer.Stop()
		}
		taken := false
		select {
		case <-ctx.Done():
			return
		case out <- event:
			taken = true
		case <-o.work:
		case <-timer.C:
		}
		o.mu.Lock()
		if taken {
			o.book.noteReceived(event, t)
		} else {
			o.book.noteRefused(event, t)
		}
		o.mu.Unlock()
	}
}

// changeBook changes the book, and has what follows from that done.
func (o *Observer) changeBook(change func(*book)) {
	o.mu.Lock()
	before := o.book.watches.version
	change(o.book)
	toRead := len(o.book.wanted) > 0 || len(o.book.watches.wanted) > 0
	restarted := o.book.restarted
	if o.book.restarted = false; restarted {
		o.reads.need = 0
	}
	spans := o.book.watches.version != before
	o.mu.Unlock()
	wakeReader(o.work)
	if toRead {
		wakeReader(o.reading)
	}
	if restarted {
		o.config.Logger.Warn("the chain has restarted: all threads are read again")
		o.listWithin(0)
	}
	if spans {
		for _, s := range o.sources {
			wakeReader(s.wake)
		}
	}
}

// wakeReader wakes who waits, if it is not awake already.
func wakeReader(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Again emits a thread as ready again if it still is. The receiver of a ThreadReady calls
// it when its execution ended and the thread was neither executed nor superseded. The
// thread is read again before.
func (o *Observer) Again(key thread.Key) { o.changeBook(func(b *book) { b.repeat(key) }) }

// Tracked is a thread that is followed.
type Tracked struct {
	Thread thread.Key
	State  *thread.Thread // shared, as that of ThreadReady
	Slot   uint64         // at which State was so
	// Due is when it is due, if Waits. Without Waits nothing makes it due: it is paused or has nothing to execute.
	Due   thread.Due
	Waits bool
	// Ready: it is due now, whether or not that has been emitted.
	Ready bool
}

// Threads returns the threads that are followed, in no order.
func (o *Observer) Threads() []Tracked {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]Tracked, 0, len(o.book.threads))
	for _, t := range o.book.threads {
		all = append(all, Tracked{t.key, t.state, t.slot, t.due, t.ever, t.ready || t.emitted})
	}
	return all
}

// Clock returns the newest tick of the chain's clock, and whether there has been one.
func (o *Observer) Clock() (ClockUpdate, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.book.clock.tick, o.book.clock.known
}

// Now returns what the chain's time is thought to be, in unix seconds, and whether it is known: the newest tick and what has
// gone by since, two seconds at most.
func (o *Observer) Now() (int64, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.book.clock.estimateAt(time.Now()), o.book.clock.known
}
