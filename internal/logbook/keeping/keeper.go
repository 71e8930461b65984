package keeping

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// KeeperConfig sets what a keeper works with, and its limits.
type KeeperConfig struct {
	Index  logbook.Index
	Shelf  logbook.Shelf
	Debts  logbook.Debts
	Past   logbook.Past
	Cellar logbook.Cellar
	Names  logbook.Names
	Blobs  logbook.Blobs
	Origin logbook.Origin
	// Pushes reports whether the executor at an address brings the lines of its
	// attempts by itself. Defaults to none does.
	Pushes func(address string) bool
	// Mask hides secrets in whole lines; it must not change how many there are.
	// Defaults to none: lines are as they are.
	Mask func(string) string
	// KeepFor is how long text is kept after the end of its attempt, unless the job sets
	// it. Defaults to 30 days.
	KeepFor time.Duration
	// MaxBytes is how much text is kept of an attempt, unless the job sets it. Defaults to
	// 64 MiB.
	MaxBytes int64
	// MaxTotal is how much may be stored in all; the oldest logs go first. Defaults
	// to 20 GiB.
	MaxTotal int64
	// Memory bounds the text that waits to be stored. When it is full no more is
	// taken until there is room. Defaults to 32 MiB.
	Memory int64
	// Attempts bounds the logs that are copied at a time; others are copied when
	// their attempts have ended. Defaults to 100,000.
	Attempts int
	// Asks and AsksEach bound the questions that are under way, in all and to one
	// executor. Default to 32 and 4.
	Asks, AsksEach int
	// PackEvery is the least time between two packs. Defaults to 500 ms.
	PackEvery time.Duration
	// Idle reports whether this keeper takes over nothing that others have left, because
	// other servers do; what it copies goes on. Defaults to never.
	Idle   func() bool
	Logger *slog.Logger
}

func (c *KeeperConfig) defaults() {
	if c.Pushes == nil {
		c.Pushes = func(string) bool { return false }
	}
	if c.Mask == nil {
		c.Mask = func(text string) string { return text }
	}
	c.KeepFor = orElse(c.KeepFor, 30*24*time.Hour)
	c.MaxBytes = orElse(c.MaxBytes, 64<<20)
	c.MaxTotal = orElse(c.MaxTotal, 20<<30)
	c.Memory = orElse(c.Memory, 32<<20)
	c.Attempts = orElse(c.Attempts, 100_000)
	c.Asks, c.AsksEach = orElse(c.Asks, 32), orElse(c.AsksEach, 4)
	c.PackEvery = orElse(c.PackEvery, 500*time.Millisecond)
	if c.Idle == nil {
		c.Idle = func() bool { return false }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

func orElse[T int | int64 | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// Keeper copies the logs of attempts to where they are stored, holds what is not stored
// yet, and deletes what is old. Its methods may be used from many goroutines, and none of
// them but Text waits for anything.
//
// All that it holds in memory can be lost: the rows record up to which line each log is
// stored, and whose log is still owed.
type Keeper struct {
	config KeeperConfig
	codec  *codec
	texts  *texts

	mu sync.Mutex // guards all below
	// held are the logs that are copied, by attempt.
	held  map[int64]*held
	due   agenda         // those of held that are asked at some time
	dirty map[*held]bool // those with something to be stored
	queue map[string][]*held
	asked map[string]int // questions under way, by address
	asks  int            // in all
	bytes int64          // text in memory
	early early
	// away is when an address may be asked again that could not be reached.
	away map[string]absence

	wake chan struct{} // something is due sooner
}

// NewKeeper returns a keeper that copies nothing until Run.
func NewKeeper(c KeeperConfig) *Keeper {
	c.defaults()
	return &Keeper{
		config: c, codec: newCodec(), texts: newTexts(),
		held: make(map[int64]*held), dirty: make(map[*held]bool), queue: make(map[string][]*held),
		asked: make(map[string]int), away: make(map[string]absence), early: newEarly(),
		wake: make(chan struct{}, 1),
	}
}

// Run copies and forgets until ctx ends. What is in memory then is stored, if that
// works within seconds.
func (k *Keeper) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, loop := range []func(context.Context){k.copying, k.owing, k.pruning, k.combing} {
		wg.Go(func() { loop(ctx) })
	}
	stop, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	packed := make(chan struct{})
	go func() {
		defer close(packed)
		k.packing(stop)
	}()
	wg.Wait()
	cancel()
	<-packed
	return nil
}

// Begin has the log of an attempt copied that an executor has accepted.
func (k *Keeper) Begin(a job.Attempt, group int64, p job.LogPolicy) {
	if p.Off {
		return
	}
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.held[a.ID]; h != nil && h.keep {
		return
	}
	h := k.add(a, group, p, now)
	if h == nil {
		return
	}
	if h.ended {
		k.schedule(h, now)
	} else {
		k.schedule(h, now.Add(k.pace(h)))
	}
	k.catchUp(h, now)
}

// Ended has the rest of a log copied at once: the end of its attempt is recorded.
func (k *Keeper) Ended(attempt int64) {
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.held[attempt]; h != nil {
		k.ended(h, now)
		return
	}
	k.early.end(attempt, now)
}

// Stored lets go of a log: all of it came with the outcome, and is stored with the end
// of its attempt.
func (k *Keeper) Stored(attempt int64) {
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.held[attempt]; h != nil {
		k.forget(h)
		return
	}
	k.early.store(attempt, now)
}

// Clean returns text as it is stored: masked, in whole lines.
func (k *Keeper) Clean(text string) string { return k.clean(text) }

// ended notes that the attempt is over. mu is held.
func (k *Keeper) ended(h *held, now time.Time) {
	if h.ended {
		return
	}
	h.ended, h.endedAt = true, now
	switch {
	case h.complete:
		k.finish(h, h.state, h.note)
	case h.pushedAll && h.next() > h.pushedTo:
		k.finish(h, logbook.Whole, "")
	case k.config.Pushes(h.attempt.Address):
		k.schedule(h, now.Add(pushGrace))
	case h.watchers > 0:
		k.schedule(h, now)
	default:
		k.schedule(h, now.Add(endGrace))
	}
}

// add makes room for a log, or makes the one that is only watched one that is kept.
// It returns nil when there is no room. mu is held.
func (k *Keeper) add(a job.Attempt, group int64, p job.LogPolicy, now time.Time) *held {
	h := k.held[a.ID]
	if h == nil {
		if len(k.held) >= k.config.Attempts {
			return nil
		}
		h = &held{place: -1, first: 1}
		k.held[a.ID] = h
	} else {
		k.bytes -= int64(h.text.Len())
		h.forgetText(1)
		// What was seen of it, maybe to its end, is not what is to be stored.
		h.complete, h.note, h.refusals, h.gap = false, "", 0, false
		h.pushedAll, h.pushedTo = false, 0
	}
	h.attempt, h.group, h.policy, h.keep = a, group, p, true
	h.attempt.Message, h.attempt.Evidence = "", nil
	h.state, h.began, h.wait = logbook.Open, now, k.firstWait()
	h.limit = orElse(p.MaxBytes, k.config.MaxBytes)
	return h
}

// catchUp applies what came before the log was begun. mu is held.
func (k *Keeper) catchUp(h *held, now time.Time) {
	before, ok := k.early.take(h.attempt.ID)
	if !ok {
		return
	}
	if before.stored {
		k.forget(h)
		return
	}
	for i := range before.brought {
		b := &before.brought[i]
		k.put(h, b.caller, b.address, b.page, now)
	}
	if before.ended {
		k.ended(h, now)
	}
}

// finish notes that no line follows those that are there. mu is held.
func (k *Keeper) finish(h *held, s logbook.State, note string) {
	h.complete, h.state, h.note = true, s, note
	k.unschedule(h)
	h.changes()
	switch {
	case h.keep:
		k.dirty[h] = true
	case h.watchers == 0:
		k.forget(h)
	}
}

// forget lets go of a log. mu is held.
func (k *Keeper) forget(h *held) {
	k.bytes -= int64(h.text.Len())
	k.unschedule(h)
	delete(k.dirty, h)
	if k.held[h.attempt.ID] == h {
		delete(k.held, h.attempt.ID)
	}
	h.gone = true
	h.changes()
}

// poke wakes a loop, which may be awake already.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
