package news

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/feed"
)

// Config says what news are made of.
type Config struct {
	Store     Store
	Executors Executors
	// Started names this life of the server. Required.
	Started time.Time
	// Keep and Behind bound what is kept for readers; see [feed.Config].
	Keep, Behind int
	// Changes has what all servers of the database change. Defaults to none: what this
	// server tells is all there is.
	Changes Changes
	// Linger is how long changes are kept after the last reader has left. Defaults to
	// 1 min.
	Linger time.Duration
	// Logger defaults to none.
	Logger *slog.Logger
}

const (
	// gather is the least time between two looks at what has changed, so that a busy
	// server wakes its readers 20 times a second. Many readers are woken more seldom:
	// each of them makes it longer by gatherEach, up to gatherMost, so that a hundred
	// are woken 500 times a second in all.
	gather     = 50 * time.Millisecond
	gatherEach = 2 * time.Millisecond
	gatherMost = 500 * time.Millisecond
	// crowd is how many changes do not wait for longer than gather: readers would be
	// told too many at once, and be behind without being slow.
	crowd = 512
	// lookAgain is the time between two looks at the executors, and lookShare how many
	// times as long as one takes it is at least.
	lookAgain = time.Second
	lookShare = 20
	// maxPending bounds the changes that wait to be named; then all are dropped and
	// readers are told so.
	maxPending = 65_536
)

// Item is an event as it is told.
type Item struct {
	// ID is the event's. Where servers share what they tell, it is the same at all of
	// them, and events about executors have that of the event before them.
	ID string
	// On is where the thing is stored that the event is about.
	On access.Object
	api.Event
	// Text is the event as one line of JSON.
	Text []byte
}

// News are those of one server, or of all that share a database.
type News struct {
	config Config
	feed   *feed.Feed[*Item]
	epoch  string
	wanted atomic.Bool   // written under mu
	hints  chan struct{} // asks Run to look now
	crowds chan struct{} // asks Run to wait no longer than gather
	looks  atomic.Bool   // asks Run to look at the executors too

	mu      sync.Mutex
	pending []told    // guarded by mu
	gap     bool      // guarded by mu: changes were dropped
	readers int       // guarded by mu
	leftAt  time.Time // guarded by mu: when the last one has left
	first   seats     // guarded by mu: the executors when the first one came; nil once Run has them
	cursor  position  // guarded by mu, and written with what is appended to the feed: behind what all is told
	blind   bool      // guarded by mu: the cursor is not known, for the database was away
	joining sync.Mutex

	namer  namer     // used by Run only
	seats  seats     // used by Run only
	lookAt time.Time // used by Run only: when the executors are looked at again
}

// told is a change with its time.
type told struct {
	Change
	at time.Time
	id string // empty where it is made when it is told
}

// New returns news that nobody reads yet.
func New(c Config) *News {
	if c.Linger <= 0 {
		c.Linger = time.Minute
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &News{
		config: c, namer: namer{store: c.Store, logger: c.Logger}, feed: feed.New[*Item](feed.Config{Keep: c.Keep, Behind: c.Behind}),
		epoch: strconv.FormatInt(c.Started.UnixMilli(), 10), hints: make(chan struct{}, 1), crowds: make(chan struct{}, 1),
	}
}

// Tell takes changes that were just committed, in their order. It never waits, and
// does not keep the slice: the store's writer calls it.
func (n *News) Tell(changes []Change) {
	if !n.wanted.Load() || len(changes) == 0 {
		return
	}
	now := time.Now()
	n.mu.Lock()
	if len(n.pending)+len(changes) > maxPending {
		n.pending, n.gap = nil, true
	} else {
		for i := range changes {
			n.pending = append(n.pending, told{Change: changes[i], at: now})
		}
	}
	crowded := len(n.pending) >= crowd || n.gap
	n.mu.Unlock()
	if crowded {
		requestRun(n.crowds)
	}
	requestRun(n.hints)
}

// Look asks for a look at the executors now: some came or went.
func (n *News) Look() {
	if n.wanted.Load() {
		n.looks.Store(true)
		requestRun(n.hints)
	}
}

// requestRun asks Run for something, once however often it is asked.
func requestRun(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run names what has changed and tells it, until ctx ends.
func (n *News) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		n.gatherChanges(ctx, n.publishChanges(ctx))
		var again <-chan time.Time // none while nobody reads
		if n.wanted.Load() {
			again = time.After(lookAgain)
		}
		select {
		case <-n.hints:
		case <-again:
		case <-ctx.Done():
		}
	}
	return nil
}

// gatherChanges lets changes gather: after readers were woken for longer when there are many of
// them, until there are many changes.
func (n *News) gatherChanges(ctx context.Context, woken bool) {
	select {
	case <-time.After(gather):
	case <-ctx.Done():
		return
	}
	if !woken {
		return
	}
	select {
	case <-time.After(n.gatherTime() - gather):
	case <-n.crowds:
	case <-ctx.Done():
	}
}

// gatherTime returns how long changes gather.
func (n *News) gatherTime() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return min(max(gather, time.Duration(n.readers)*gatherEach), gatherMost)
}

// publishChanges tells what has changed since the last one, and reports whether readers were
// woken.
func (n *News) publishChanges(ctx context.Context) (woken bool) {
	pending, gap, on := n.takePending()
	if !on {
		n.namer.names.forget()
		n.seats = nil
		return false
	}
	if gap {
		n.feed.Cut()
		gap = false
	}
	now := time.Now()
	n.namer.names.forgetStale(now)
	behind := position{}
	if n.config.Changes != nil {
		pending, behind, gap = n.fetch(ctx)
	}
	items, whole := n.namer.named(ctx, pending)
	if gap || !whole && ctx.Err() == nil {
		n.feed.Cut()
	}
	if n.looks.Swap(false) || !now.Before(n.lookAt) {
		items = append(items, n.executorChanges(now)...)
		n.lookAt = now.Add(max(lookAgain, lookShare*time.Since(now)))
	}
	n.append(items, behind)
	return len(items) > 0 || gap || !whole
}

// takePending takes the changes; on is false when nobody reads, and nobody will come back.
func (n *News) takePending() (pending []told, gap, on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.first != nil && n.seats == nil {
		n.seats = n.first
	}
	n.first = nil
	pending, gap = n.pending, n.gap
	n.pending, n.gap = nil, false
	select {
	case <-n.crowds: // they are taken
	default:
	}
	if n.readers == 0 && n.wanted.Load() && time.Since(n.leftAt) >= n.config.Linger {
		n.wanted.Store(false)
		if n.config.Changes != nil {
			n.config.Changes.Unwatch()
		}
		n.feed.Cut() // what comes from now on is not kept
	}
	return pending, gap, n.wanted.Load()
}

// Reader reads events. One goroutine uses it.
type Reader struct {
	*feed.Reader[*Item]
	// Reset says why it does not begin where it was to; empty when it does.
	Reset string
	// Resumed says that it goes on behind the event that was named.
	Resumed bool

	news   *News
	closed bool
	ahead  []*Item // those of before the reader, which came back to them
	at     string  // the id behind which it stands
}

// The reasons why readers have missed events, as they are told.
const (
	ResetRestarted = "restarted" // the server was
	ResetExpired   = "expired"   // the event is too old
	ResetSlow      = "slow"      // the reader is
	ResetGap       = "gap"       // more has changed than could be told
)

// Epoch names this life of the server.
func (n *News) Epoch() string { return n.epoch }

// ID returns the id of the event with a number.
func (n *News) ID(number uint64) string { return n.epoch + "-" + strconv.FormatUint(number, 10) }

// Read returns a reader of what comes behind the event with an id; of what comes from
// now on when the id is empty, or of one that is not kept. From now on changes are
// kept, until a while after Close.
func (n *News) Read(ctx context.Context, after string) *Reader {
	n.noteReader(ctx)
	if n.config.Changes != nil {
		return n.readShared(ctx, after)
	}
	r := &Reader{news: n}
	epoch, text, _ := strings.Cut(after, "-")
	number, err := strconv.ParseUint(text, 10, 64)
	switch {
	case after == "":
	case err != nil || epoch != n.epoch || number > n.feed.Last():
		r.Reset = ResetRestarted
	default:
		if r.Reader, r.Resumed = n.feed.ReadAfter(number); !r.Resumed {
			r.Reset = ResetExpired
		}
	}
	if r.Reader == nil {
		r.Reader = n.feed.Read()
	}
	r.at = n.ID(r.After())
	return r
}

// append tells items, in order. behind is up to where all is told with them, in what
// servers share.
func (n *News) append(items []*Item, behind position) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if behind != (position{}) {
		n.cursor = behind
	}
	next := n.feed.Last() // only this goroutine appends
	for _, it := range items {
		next++
		switch {
		case n.config.Changes == nil:
			it.ID = n.ID(next)
		case it.ID == "":
			it.ID = n.cursor.String()
		}
	}
	n.feed.Append(items...)
}

// ID returns the id behind which the reader stands.
func (r *Reader) ID() string { return r.at }

// Next is that of [feed.Reader], and begins with what a reader has come back to.
func (r *Reader) Next(ctx context.Context, into []*Item) ([]*Item, feed.Lost, error) {
	if n := min(len(r.ahead), maxAhead); n > 0 {
		into = append(into, r.ahead[:n]...)
		r.at, r.ahead = r.ahead[n-1].ID, r.ahead[n:]
		return into, feed.None, nil
	}
	items, lost, err := r.Reader.Next(ctx, into)
	switch {
	case lost != feed.None:
		r.at = r.news.standsAt(r.After())
	case len(items) > len(into):
		r.at = items[len(items)-1].ID
	}
	return items, lost, err
}

// standsAt returns the id of a place in the feed; where servers share what they tell,
// that of its end.
func (n *News) standsAt(number uint64) string {
	if n.config.Changes == nil {
		return n.ID(number)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cursor.String()
}

// noteReader notes that somebody reads. The executors that there are now are those of which
// the first reader is told what becomes.
func (n *News) noteReader(ctx context.Context) {
	n.joining.Lock()
	defer n.joining.Unlock()
	var now seats
	if !n.wanted.Load() {
		n.watch(ctx)
		now = n.standing(time.Now()) // before the lock: the store's writer takes it too
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.readers++
	if !n.wanted.Load() {
		n.wanted.Store(true)
		n.first = now
		requestRun(n.hints)
	}
}

// Close ends the reading.
func (r *Reader) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.news.mu.Lock()
	defer r.news.mu.Unlock()
	if r.news.readers--; r.news.readers == 0 {
		r.news.leftAt = time.Now()
	}
}
