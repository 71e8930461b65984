package ownership

import (
	"sync"
	"time"

	"github.com/orthd/orth/solana/thread"
)

// Bounds of what a keeper remembers. What is forgotten is decided by the chain's state alone, as by one who has just begun.
const (
	mostThreads = 100_000
	mostPeers   = 64
	sweepEvery  = time.Minute
	heldLife    = 24 * time.Hour // of a thread that is held and of which nothing is heard: it may be closed
)

// Keeper remembers what one executor has won and lost. It is safe for concurrent use.
type Keeper struct {
	rules Rules
	me    thread.Key

	mu      sync.Mutex
	threads map[thread.Key]threadRecord
	peers   map[thread.Key]time.Time // when another was seen to execute last
	swept   time.Time
	held    int // threads that are held
	lost    int // threads that have losses
	stats   Stats
}

// threadRecord is what became of a thread.
type threadRecord struct {
	held   bool
	losses int  // races in a row
	taken  bool // another has taken it over
	count  uint64
	// raceUntil is until when another that executes it does not keep the rules; zero: it was not due here. Later than half of the
	// delay it is taken for one who does: clocks and news are not equally fast everywhere.
	raceUntil time.Time
	at        time.Time // of the last change
}

// isLost reports whether it counts for being at capacity.
func (r threadRecord) isLost() bool { return r.losses > 0 || r.taken }

// Stats are figures of a keeper.
type Stats struct {
	Held       int  // threads that are this executor's now
	Contested  int  // threads that were lost of late, now
	Peers      int  // others that were seen of late, now
	AtCapacity bool // more was lost than half of what is held

	Won       uint64 // executions
	Lost      uint64 // races against one who does not keep the delay
	TakenOver uint64 // threads that another has executed because this one was late
	Released  uint64 // threads that were given up after losses
}

// NewKeeper returns a keeper of an executor.
func NewKeeper(me thread.Key, r Rules) *Keeper {
	return &Keeper{rules: r.withDefaults(), me: me, threads: make(map[thread.Key]threadRecord), peers: make(map[thread.Key]time.Time)}
}

// longestWait is how long who must not execute a thread waits until it asks again: its state may be another by then.
const longestWait = time.Hour

// May reports whether this executor may execute a thread that has been due for so long, and
// if not after how long to ask again.
func (k *Keeper) May(key thread.Key, state *thread.Thread, overdue time.Duration) (may bool, after time.Duration) {
	d := k.decide(key, state.LastExecutor, state.ExecCount, overdue, time.Now())
	if d.After <= 0 {
		d.After = longestWait
	}
	return d.Now, d.After
}

// Seen records the last executor of a thread, and its count of executions; the zero key:
// none.
func (k *Keeper) Seen(key, last thread.Key, count uint64) { k.noteSeen(key, last, count, time.Now()) }

// Forget removes a thread that is closed.
func (k *Keeper) Forget(key thread.Key) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.putRecord(key, threadRecord{})
}

// Stats returns the figures.
func (k *Keeper) Stats() Stats {
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sweep(now)
	s := k.stats
	s.Held, s.Contested, s.Peers, s.AtCapacity = k.held, k.lost, len(k.peers), k.atCapacity()
	return s
}

func (k *Keeper) atCapacity() bool { return 2*k.lost > k.held && k.lost > 1 }

func (k *Keeper) decide(key, last thread.Key, count uint64, overdue time.Duration, now time.Time) Decision {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sweep(now)
	r := k.threads[key]
	d := k.rules.Decide(View{
		Me: k.me, Last: last, Overdue: overdue, Held: r.held && last != (thread.Key{}), AtCapacity: k.atCapacity(), Rank: k.rankOf(key, last),
	})
	if d.Now && (last == k.me || r.held) && (r.raceUntil.IsZero() || r.count != count) {
		r.count, r.at, r.held = count, now, true
		r.raceUntil = now.Add(max(0, k.rules.TakeoverDelay-overdue) / 2)
		k.putRecord(key, r)
	}
	return d
}

// rankOf is how many others go before, with a thread whose last executor is assumed to leave
// it.
func (k *Keeper) rankOf(key, last thread.Key) (before int) {
	mine := weight(key, k.me)
	for peer := range k.peers {
		if peer != last && weight(key, peer) > mine {
			before++
		}
	}
	return before
}

func (k *Keeper) noteSeen(key, last thread.Key, count uint64, now time.Time) {
	if last == (thread.Key{}) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sweep(now)
	r := k.threads[key]
	if last == k.me {
		k.noteExecuted(key, r, count, now)
		return
	}
	k.notePeer(last, now)
	switch {
	case !r.held || count <= r.count:
		return // not ours, or known
	case !r.raceUntil.IsZero() && now.Before(r.raceUntil):
		k.stats.Lost++
		r.losses++
		if r.losses >= k.rules.LossesToRelease {
			k.stats.Released++
			r = threadRecord{taken: true}
		}
	default:
		k.stats.TakenOver++
		r = threadRecord{taken: true}
	}
	r.count, r.raceUntil, r.at = count, time.Time{}, now
	k.putRecord(key, r)
}

// noteExecuted notes that a thread was executed here.
func (k *Keeper) noteExecuted(key thread.Key, r threadRecord, count uint64, now time.Time) {
	if r.held && count <= r.count && r.losses == 0 {
		return // known
	}
	if count > r.count || !r.held {
		k.stats.Won++
	}
	k.putRecord(key, threadRecord{held: true, count: count, at: now})
}

// notePeer notes that another executor lives.
func (k *Keeper) notePeer(peer thread.Key, now time.Time) {
	if _, known := k.peers[peer]; !known && len(k.peers) >= mostPeers {
		var oldest thread.Key
		at := now.Add(time.Second)
		for p, seen := range k.peers {
			if seen.Before(at) {
				oldest, at = p, seen
			}
		}
		delete(k.peers, oldest)
	}
	k.peers[peer] = now
}

// putRecord keeps a record; one of nothing is forgotten.
func (k *Keeper) putRecord(key thread.Key, r threadRecord) {
	old, known := k.threads[key]
	count := func(r threadRecord, n int) {
		if r.held {
			k.held += n
		}
		if r.isLost() {
			k.lost += n
		}
	}
	count(old, -1)
	if !r.held && !r.isLost() {
		delete(k.threads, key)
		return
	}
	if !known && len(k.threads) >= mostThreads {
		for other, forgotten := range k.threads { // any
			count(forgotten, -1)
			delete(k.threads, other)
			break
		}
	}
	count(r, 1)
	k.threads[key] = r
}

// sweep forgets what is too old to count.
func (k *Keeper) sweep(now time.Time) {
	if now.Sub(k.swept) < min(sweepEvery, k.rules.PeerLife, k.rules.LossLife) {
		return
	}
	k.swept = now
	for peer, seen := range k.peers {
		if now.Sub(seen) > k.rules.PeerLife {
			delete(k.peers, peer)
		}
	}
	for key, r := range k.threads {
		if r.isLost() && now.Sub(r.at) > k.rules.LossLife {
			r.losses, r.taken = 0, false
			k.putRecord(key, r)
		}
		if r.held && now.Sub(r.at) > heldLife {
			k.putRecord(key, threadRecord{})
		}
	}
}
