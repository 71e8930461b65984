package observe

import (
	"bytes"
	"hash/maphash"
	"math"
	"time"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// book is the known state of the chain, and the events still to be emitted. It has no lock,
// no clock and no I/O of its own.
type book struct {
	profile thread.Profile
	seed    maphash.Seed
	most    int // threads
	watches watches

	clock    chainClock
	tickNews bool // the newest tick is still to be emitted
	threads  map[thread.Key]*tracked
	gone     map[thread.Key]uint64 // since which slot, as far as it is newer than complete
	complete uint64                // slot of the newest list of all threads
	round    uint32                // number of that list

	seconds, slots, epochs dueHeap
	ready, news            fifo
	leaving                int // threads in news that are gone

	wanted    map[thread.Key]struct{} // threads that are to be read again
	restarted bool                    // all is to be read again: the chain has restarted
	counts    counts
}

// counts are what has happened.
type counts struct {
	old         uint64 // states and ticks that were no newer
	far         uint64 // ticks from far behind
	undecodable uint64
	refused     uint64 // states of threads beyond the limit
	dropped     uint64 // events of deleted threads that the queue had no room for
	ready       uint64 // emitted
}

// tracked is a thread that is known.
type tracked struct {
	key   thread.Key
	state *thread.Thread
	slot  uint64 // at which state was so
	sum   uint64 // of its bytes
	round uint32 // of the list that it was in last

	due  thread.Due
	ever bool  // there is a due
	at   int64 // its order in the heap that it is in
	in   *dueHeap
	// place is its place in the heap.
	place int

	since     int64 // when it became ready, unix seconds
	emittedAt time.Time
	ready     bool // is to be emitted as ready
	emitted   bool // was emitted as ready, and nothing has happened since
	checked   bool // was read again since
	again     bool // is to be emitted again once it has been read
	changed   bool // is to be emitted as changed
	left      bool // is to be emitted as deleted

	inReady, inNews bool // it is in these queues
}

const (
	// refreshAfter is how long a thread that was emitted as ready may stay unchanged until
	// it is read again.
	refreshAfter = 10 * time.Second
	refreshAlone = 2 * time.Second // while no node is subscribed to
	// mostGone bounds what is remembered of closed threads.
	mostGone = 10_000
)

func newBook(p thread.Profile, most, mostWatched int) *book {
	return &book{
		profile: p, seed: maphash.MakeSeed(), most: most, watches: newWatches(mostWatched),
		threads: make(map[thread.Key]*tracked), gone: make(map[thread.Key]uint64), wanted: make(map[thread.Key]struct{}),
	}
}

// applyTick applies a tick of the clock.
func (b *book) applyTick(tick ClockUpdate, now time.Time) ticked {
	first := !b.clock.known
	what := b.clock.applyTick(tick, now)
	if first {
		b.complete = b.believed(b.complete)
		for _, t := range b.threads {
			t.slot = b.believed(t.slot)
		}
		b.watches.believe(b.believed)
	}
	switch what {
	case tickTaken:
		b.tickNews = true
	case tickOld:
		b.counts.old++
	case tickFar:
		b.counts.far++
	case tickAnew:
		b.tickNews, b.restarted, b.complete = true, true, 0
		clear(b.gone)
		b.watches.forget()
		for _, t := range b.threads {
			t.slot = 0
		}
	}
	return what
}

// believed limits an observation's slot to what the clock allows. A node's report of a far
// future slot must not outrank all later ones for ever.
func (b *book) believed(slot uint64) uint64 {
	if newest := b.clock.tick.Slot; b.clock.known && slot > newest && slot-newest > farBehind {
		return newest + farBehind
	}
	return slot
}

// account takes what the address of a thread holds at a slot; nil is nothing. Only what is newer than what is known counts.
func (b *book) account(key thread.Key, a *rpc.Account, slot uint64) {
	slot = b.believed(slot)
	t := b.threads[key]
	if t == nil {
		b.addThread(key, a, slot)
		return
	}
	switch {
	case slot < t.slot:
		b.counts.old++
	case !b.isThread(a):
		b.leave(t, slot)
	default:
		b.update(t, a.Data, slot)
	}
}

// isThread reports whether an account is one of the program's threads.
func (b *book) isThread(a *rpc.Account) bool {
	prefix := thread.ThreadFilter()
	return a != nil && a.Lamports > 0 && a.Owner == b.profile.Program && bytes.HasPrefix(a.Data, prefix[:])
}

// addThread takes the first account of a thread.
func (b *book) addThread(key thread.Key, a *rpc.Account, slot uint64) {
	since, gone := b.gone[key]
	switch {
	case !b.isThread(a):
	case slot < b.complete, gone && slot <= since:
		b.counts.old++ // it has been closed since
	case len(b.threads) >= b.most:
		b.counts.refused++
	default:
		state, err := b.profile.DecodeThread(a.Data)
		if err != nil {
			b.counts.undecodable++
			return
		}
		delete(b.gone, key)
		t := &tracked{key: key, state: state, slot: slot, sum: maphash.Bytes(b.seed, a.Data), place: -1}
		b.threads[key] = t
		b.watches.follow(t, nil)
		b.change(t)
		b.place(t)
	}
}

// update takes a state of a thread that is known. Of two of one slot the one with more executions is the newer.
func (b *book) update(t *tracked, data []byte, slot uint64) {
	sum := maphash.Bytes(b.seed, data)
	if sum == t.sum {
		t.slot = slot
		return
	}
	state, err := b.profile.DecodeThread(data)
	switch {
	case err != nil:
		b.counts.undecodable++
		return
	case slot == t.slot && state.ExecCount < t.state.ExecCount:
		b.counts.old++
		return
	}
	old := t.state
	t.state, t.slot, t.sum = state, slot, sum
	if !sameOccasion(old, state) {
		t.emitted, t.checked, t.again = false, false, false
	}
	b.watches.follow(t, old)
	b.change(t)
	b.place(t)
}

// sameOccasion reports whether two states of a thread are about the same execution. The seed era does not count them.
func sameOccasion(a, b *thread.Thread) bool {
	return a.ExecCount == b.ExecCount && a.Cursor == b.Cursor && a.Signal == b.Signal && a.Paused == b.Paused &&
		a.Schedule == b.Schedule && a.Trigger == b.Trigger && bytes.Equal(a.Fibers, b.Fibers)
}

// leave forgets a thread that is closed.
func (b *book) leave(t *tracked, slot uint64) {
	t.leaveHeap()
	t.ready, t.changed, t.slot = false, false, slot
	delete(b.threads, t.key)
	delete(b.wanted, t.key)
	b.watches.leave(t)
	if len(b.gone) >= mostGone {
		for key := range b.gone { // any: the next list of all threads reports them as well
			delete(b.gone, key)
			break
		}
	}
	b.gone[t.key] = slot
	if b.leaving >= b.most {
		b.counts.dropped++
		return
	}
	t.left = true
	b.leaving++
	b.queueNews(t)
}

// change queues a thread's new state as an event.
func (b *book) change(t *tracked) {
	t.changed = true
	b.queueNews(t)
}

func (b *book) queueNews(t *tracked) {
	if !t.inNews {
		t.inNews = true
		b.news.push(t)
	}
}

// place finds out when a thread is due, and puts it where that is seen.
func (b *book) place(t *tracked) {
	t.leaveHeap()
	t.ready = false
	if t.due, t.ever = t.state.Due(b.profile, t.key); !t.ever || t.emitted {
		return
	}
	switch t.due.Unit {
	case thread.Now:
		b.seconds.addDue(t, math.MinInt64)
	case thread.Seconds:
		b.seconds.addDue(t, t.due.At)
	case thread.Slots:
		b.slots.addDue(t, t.due.At)
	case thread.Epochs:
		b.epochs.addDue(t, t.due.At)
	case thread.Change:
		if b.watches.changed(t) {
			b.seconds.addDue(t, math.MinInt64)
		}
	}
}

// applyList takes all threads that the chain has at a slot. Those that are known and not among them are read again, each by
// itself: a node whose list is not whole must not end them.
func (b *book) applyList(all []rpc.Keyed, slot uint64) {
	slot = b.believed(slot)
	b.round++
	for i := range all {
		b.account(all[i].Key, &all[i].Account, slot)
		if t := b.threads[all[i].Key]; t != nil {
			t.round = b.round
		}
	}
	for key, t := range b.threads {
		if t.round != b.round && t.slot < slot {
			b.wanted[key] = struct{}{}
		}
	}
	if slot >= b.complete {
		b.complete = slot
		for key, since := range b.gone {
			if since <= slot {
				delete(b.gone, key)
			}
		}
	}
	b.watches.readAll()
}

// repeat emits a thread as ready again, if it still is, after it has been read.
func (b *book) repeat(key thread.Key) {
	if t := b.threads[key]; t != nil && t.emitted {
		t.again = true
		b.wanted[key] = struct{}{}
	}
}

// noteRead records that a thread has been read again; account has already applied the state.
func (b *book) noteRead(key thread.Key) {
	if t := b.threads[key]; t != nil && t.again {
		t.emitted, t.checked, t.again = false, false, false
		b.place(t)
	}
}

// stalled returns threads to read again: they were emitted as ready a while ago, and no
// update followed. They are read once, or again and again while no other source reports
// them.
func (b *book) stalled(now time.Time, alone bool) {
	for key, t := range b.threads {
		if !t.emitted {
			continue
		}
		if alone && now.Sub(t.emittedAt) >= refreshAlone || !t.checked && now.Sub(t.emittedAt) >= refreshAfter {
			t.checked = true
			b.wanted[key] = struct{}{}
		}
	}
}

// watched takes what a watched range holds at a slot, and whether there is an account.
func (b *book) watched(s accountRange, data []byte, found bool, slot uint64) {
	if !b.watches.applySpan(s, data, found, b.believed(slot)) {
		b.counts.old++
		return
	}
	for t := range b.watches.watchersOf(s) {
		if !t.emitted {
			b.place(t)
		}
	}
}

// advance finds what has become due.
func (b *book) advance(now time.Time) {
	if !b.clock.known {
		return
	}
	unix := b.clock.estimateAt(now)
	for _, waits := range []struct {
		heap  *dueHeap
		until int64
	}{{&b.seconds, unix}, {&b.slots, clamped(b.clock.tick.Slot)}, {&b.epochs, clamped(b.clock.tick.Epoch)}} {
		for t := waits.heap.until(waits.until); t != nil; t = waits.heap.until(waits.until) {
			t.ready, t.since = true, unix
			if t.due.Unit == thread.Seconds {
				t.since = t.due.At
			}
			if !t.inReady {
				t.inReady = true
				b.ready.push(t)
			}
		}
	}
}

func clamped(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// nextEvent returns the first event to emit, nil when there is none: a tick, then threads that
// are due, then other events. A thread's change comes before that it is due. The caller
// passes the thread to took or kept. A thread that is offered as ready counts as emitted
// from here on: its receiver may ask for it again at once.
func (b *book) nextEvent(now time.Time) (Event, *tracked) {
	b.advance(now)
	if b.tickNews {
		return b.clock.tick, nil
	}
	for t := b.ready.first(); t != nil; t = b.ready.first() {
		switch {
		case !t.ready:
			t.inReady = false
			b.ready.pop()
		case t.changed:
			return ThreadChanged{t.key, t.state, t.slot}, t
		default:
			t.ready, t.emitted, t.checked, t.again, t.emittedAt = false, true, false, false, now
			return ThreadReady{t.key, t.state, t.since, t.due, t.slot}, t
		}
	}
	for t := b.news.first(); t != nil; t = b.news.first() {
		switch {
		case t.left:
			return ThreadGone{t.key, t.slot}, t
		case t.changed:
			return ThreadChanged{t.key, t.state, t.slot}, t
		default:
			t.inNews = false
			b.news.pop()
		}
	}
	return nil, nil
}

// noteReceived records that an event of next has been received. A change since then is still to be
// emitted.
func (b *book) noteReceived(event Event, t *tracked) {
	switch e := event.(type) {
	case ClockUpdate:
		b.tickNews = b.tickNews && e != b.clock.tick
	case ThreadChanged:
		t.changed = t.changed && e.State != t.state
	case ThreadGone:
		t.left = false
		b.leaving--
	case ThreadReady:
		b.counts.ready++
	}
}

// noteRefused records that an event of next has not been received.
func (b *book) noteRefused(event Event, t *tracked) {
	e, ready := event.(ThreadReady)
	if !ready || !t.emitted || b.threads[t.key] != t {
		return
	}
	t.emitted, t.again = false, false
	if t.ready = e.State == t.state; !t.ready {
		b.place(t)
	}
}

// nextWake returns when the next thread becomes due if no tick comes before.
func (b *book) nextWake() (time.Time, bool) {
	if len(b.seconds) == 0 {
		return time.Time{}, false
	}
	return b.clock.instant(b.seconds[0].at)
}
