package users

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/orthd/orth/internal/tries"
)

const (
	// triesAtOnce and tryEvery limit the checked tries to sign in: a burst of five, then
	// one every twelve seconds. No minute has more than ten.
	triesAtOnce = 5
	tryEvery    = 12 * time.Second
	// meterSlots is the number of meters of a kind, a power of two.
	meterSlots = 1 << 16
)

// limiter bounds how often passwords are tried: by the network that a try comes
// from, and by the account that it is for. A network that the account has signed in
// from before has a meter of its own with each account, so that strangers cannot use
// up its owner's tries.
//
// It takes the same memory whatever is tried: names that share a slot are counted
// together, and nobody who chooses names knows which do. It is safe for concurrent
// use.
type limiter struct {
	seed maphash.Seed // read-only

	mu       sync.Mutex
	networks tries.Meters // guarded by mu, like the others
	accounts tries.Meters
	known    tries.Meters
}

func newLimiter() *limiter { return newLimiterOf(meterSlots) }

func newLimiterOf(slots int) *limiter {
	return &limiter{
		seed:     maphash.MakeSeed(),
		networks: make(tries.Meters, slots), accounts: make(tries.Meters, slots), known: make(tries.Meters, slots),
	}
}

func (l *limiter) hashName(name string) uint64 { return maphash.String(l.seed, name) }

// try is a try that was allowed.
type try struct{ slots []*int64 }

// takeTry allows a try, or returns how long to wait. known means that the account has signed
// in from the network before.
func (l *limiter) takeTry(account, network string, known bool, now time.Time) (t try, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known {
		t.slots = []*int64{l.known.Slot(maphash.Comparable(l.seed, [2]string{account, network}))}
	} else {
		t.slots = []*int64{
			l.networks.Slot(l.hashName(network)),
			l.accounts.Slot(l.hashName(account)),
		}
	}
	at := now.UnixNano()
	for _, slot := range t.slots {
		wait = max(wait, tryPace().Wait(*slot, at))
	}
	if wait > 0 {
		return try{}, wait
	}
	for _, slot := range t.slots {
		*slot = max(*slot, at) + int64(tryEvery)
	}
	return t, 0
}

// forgive uncounts a successful try.
func (l *limiter) forgive(t try) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, slot := range t.slots {
		*slot -= int64(tryEvery)
	}
}

// tryPace is the rate of allowed tries.
func tryPace() tries.Pace { return tries.Pace{AtOnce: triesAtOnce, Every: tryEvery} }
