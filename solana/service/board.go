package service

import (
	"cmp"
	"slices"
	"time"

	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/thread"
)

// phase is where an entry of the board is.
type phase uint8

const (
	waiting phase = iota // for wait's reason
	ready                // for a worker, or for an earlier execution of its thread
	working              // it is looked at, built or sent
	flying               // its transaction is on its way
)

// reason is what an entry waits for.
type reason string

// The reasons; trouble is not one of them: what is ready waits then.
const (
	forRetry  reason = "retry"  // its next try
	forClock  reason = "clock"  // the chain's clock
	forChange reason = "change" // a change on the chain
	forOwner  reason = "owner"  // whether another executor does it
)

func reasons() []reason { return []reason{forRetry, forClock, forChange, forOwner} }

// wait is until when an entry is left alone: until the local time, or until the chain's clock has got somewhere if that is sooner.
type wait struct {
	reason reason
	until  time.Time
	chain  thread.Due // Now: it is no part of it
}

// taskEntry is a task that is scheduled or processing.
type taskEntry struct {
	id      ledger.ID
	thread  thread.Key
	state   *thread.Thread // as it was offered; never changed
	count   uint64
	byTime  bool
	order   int64
	trigger int64
	due     thread.Due
	window  int64 // when the thread would be due once more, in unix seconds by the chain; 0: never
	created time.Time

	tries    int
	units    uint32
	failed   ledger.Failure
	nags     int    // how often it was not ready, though it was due, in a row
	rebuilds int    // how often it was rebuilt because something had changed, in a row
	flights  uint64 // how many transactions were made of it by this process
	refused  int    // how often it seemed that no try would help

	phase   phase
	wait    wait
	stamp   uint64 // of its alarms
	queued  bool   // it is in the board's line
	removed bool   // the ledger has it no more
	// told is the news that arrived while a worker held the entry: a newer state, or that
	// the thread is gone.
	told told

	stages   Stages
	readyAt  time.Time
	requests *requests
}

// told is the news about an entry's thread.
type told struct {
	news  bool // something: what waits for a change looks again
	state *thread.Thread
	gone  bool
}

// seat is a thread's place: one of its entries is looked at or on its way at most.
type seat struct {
	entries []*taskEntry // by order
	busy    *taskEntry
}

// board is which tasks there are and what each waits for. It decides nothing but who is next. Its owner holds a lock.
type board struct {
	entries map[ledger.ID]*taskEntry
	seats   map[thread.Key]*seat
	line    []*taskEntry // ready, the first first; some may have moved on
	local   alarms       // unix milliseconds
	seconds alarms
	slots   alarms
	epochs  alarms
	clock   thread.Clock
	waits   map[reason]int
	flying  int
	working int
}

func newBoard() *board {
	return &board{entries: make(map[ledger.ID]*taskEntry), seats: make(map[thread.Key]*seat), waits: make(map[reason]int)}
}

// addEntry puts an entry on the board, which waits or is on its way. One that is there already stays as it is.
func (b *board) addEntry(e *taskEntry, w *wait, now time.Time) {
	if b.entries[e.id] != nil {
		return
	}
	b.entries[e.id] = e
	s := b.seats[e.thread]
	if s == nil {
		s = new(seat)
		b.seats[e.thread] = s
	}
	at, _ := slices.BinarySearchFunc(s.entries, e, func(x, y *taskEntry) int { return cmp.Compare(x.order, y.order) })
	s.entries = slices.Insert(s.entries, at, e)
	switch {
	case e.phase == flying:
		b.flying++
		if s.busy == nil {
			s.busy = e
		}
	case w != nil:
		b.parkEntry(e, *w, now)
	default:
		b.makeReady(e, now)
	}
}

// parkEntry has an entry wait, which is no seat's business any more.
func (b *board) parkEntry(e *taskEntry, w wait, now time.Time) {
	b.leave(e)
	e.phase, e.wait = waiting, w
	e.stamp++
	b.waits[w.reason]++
	b.local.addAlarm(w.until.UnixMilli(), e)
	switch w.chain.Unit {
	case thread.Seconds:
		b.seconds.addAlarm(w.chain.At, e)
	case thread.Slots:
		b.slots.addAlarm(w.chain.At, e)
	case thread.Epochs:
		b.epochs.addAlarm(w.chain.At, e)
	case thread.Now, thread.Change:
	}
	b.wakeDue(now)
	b.promote(b.seats[e.thread])
}

// makeReady makes an entry ready.
func (b *board) makeReady(e *taskEntry, now time.Time) {
	b.leave(e)
	e.phase, e.readyAt = ready, now
	e.stamp++
	b.promote(b.seats[e.thread])
}

// leave takes an entry out of the counts of its phase.
func (b *board) leave(e *taskEntry) {
	switch e.phase {
	case waiting:
		if e.wait.reason != "" {
			b.waits[e.wait.reason]--
		}
	case working:
		b.working--
	case flying:
		b.flying--
	case ready:
	}
	e.wait = wait{}
	if s := b.seats[e.thread]; s != nil && s.busy == e {
		s.busy = nil
	}
}

// promote puts a seat's first entry in the line, if it is ready and no other of them is busy.
func (b *board) promote(s *seat) {
	if s == nil || s.busy != nil || len(s.entries) == 0 {
		return
	}
	if first := s.entries[0]; first.phase == ready && !first.queued {
		first.queued = true
		b.line = append(b.line, first)
	}
}

// takeNext takes the next entry to work on; nil: there is none.
func (b *board) takeNext() *taskEntry {
	for len(b.line) > 0 {
		e := b.line[0]
		b.line[0] = nil
		b.line = b.line[1:]
		e.queued = false
		s := b.seats[e.thread]
		if e.removed || e.phase != ready || s.busy != nil || s.entries[0] != e {
			continue // it has moved on, and comes again
		}
		e.phase = working
		b.working++
		s.busy = e
		return e
	}
	return nil
}

// launched records that an entry's transaction is on its way.
func (b *board) launched(e *taskEntry) {
	b.working--
	b.flying++
	e.phase = flying
}

// remove takes an entry off the board. One that is worked on stays its seat's business until it is given back by release.
func (b *board) remove(e *taskEntry) {
	if e.removed {
		return
	}
	e.removed = true
	delete(b.entries, e.id)
	if e.phase != working {
		b.release(e)
	}
}

// release gives back the seat of an entry that was removed.
func (b *board) release(e *taskEntry) {
	b.leave(e)
	e.phase = waiting
	e.stamp++
	s := b.seats[e.thread]
	s.entries = slices.DeleteFunc(s.entries, func(x *taskEntry) bool { return x == e })
	if len(s.entries) == 0 {
		delete(b.seats, e.thread)
		return
	}
	b.promote(s)
}

// slotsAnew is how many slots a clock must lag to mean a restarted chain rather than a late
// tick.
const slotsAnew = 1000

// applyTick takes a tick of the chain's clock, unless it is a late one, and reports whether it did. Its time may go back: what one
// node makes up holds until the next tick.
func (b *board) applyTick(c thread.Clock, now time.Time) bool {
	anew := c.Slot+slotsAnew < b.clock.Slot
	if c == b.clock || c.Slot < b.clock.Slot && !anew {
		return false
	}
	b.clock = c
	b.wakeDue(now)
	return true
}

// wakeDue wakes what waits no longer.
func (b *board) wakeDue(now time.Time) {
	for _, x := range []struct {
		alarms *alarms
		until  int64
	}{
		{&b.local, now.UnixMilli()},
		{&b.seconds, b.clock.Unix},
		{&b.slots, int64(min(b.clock.Slot, 1<<62))},
		{&b.epochs, int64(min(b.clock.Epoch, 1<<62))},
	} {
		for e := x.alarms.takeDue(x.until); e != nil; e = x.alarms.takeDue(x.until) {
			b.makeReady(e, now)
		}
	}
}

// nextWake is when the local clock wakes the next entry.
func (b *board) nextWake() (time.Time, bool) {
	at, some := b.local.nextAlarm()
	return time.UnixMilli(at), some
}

// applyNews applies news about a thread: it wakes entries that wait for a change, and those that
// it makes void.
func (b *board) applyNews(key thread.Key, news told, now time.Time) {
	s := b.seats[key]
	if s == nil {
		return
	}
	for _, e := range slices.Clone(s.entries) {
		void := news.gone || news.state != nil && !e.byTime && news.state.ExecCount > e.count
		if news.state == nil || void {
			e.told.state, e.told.gone = news.state, news.gone
		}
		e.told.news = true
		if e.phase == waiting && (e.wait.reason == forChange || void) {
			b.makeReady(e, now)
		}
	}
}

// depth is how many entries are ready for a worker.
func (b *board) depth() int {
	waits := 0
	for _, n := range b.waits {
		waits += n
	}
	return len(b.entries) - waits - b.working - b.flying
}
