package identity

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

const (
	// triesAtOnce and tryEvery bound the tries to sign in that take effect: five at
	// once and then one each twelve seconds, so that no minute has more than ten.
	triesAtOnce = 5
	tryEvery    = 12 * time.Second
	// meterSlots is how many meters of a kind there are, a power of two.
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
	networks meters // guarded by mu, like the others
	accounts meters
	known    meters
}

func newLimiter() *limiter { return newLimiterOf(meterSlots) }

func newLimiterOf(slots int) *limiter {
	return &limiter{
		seed:     maphash.MakeSeed(),
		networks: make(meters, slots), accounts: make(meters, slots), known: make(meters, slots),
	}
}

func (l *limiter) hash(name string) uint64 { return maphash.String(l.seed, name) }

// try is a try that was let through.
type try struct{ slots []*int64 }

// take lets a try through, or says how long to wait. known says that the account has
// signed in from the network before.
func (l *limiter) take(account, network string, known bool, now time.Time) (t try, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known {
		t.slots = []*int64{l.known.slot(maphash.Comparable(l.seed, [2]string{account, network}))}
	} else {
		t.slots = []*int64{
			l.networks.slot(l.hash(network)),
			l.accounts.slot(l.hash(account)),
		}
	}
	at := now.UnixNano()
	for _, slot := range t.slots {
		wait = max(wait, waitFor(*slot, at))
	}
	if wait > 0 {
		return try{}, wait
	}
	for _, slot := range t.slots {
		*slot = max(*slot, at) + int64(tryEvery)
	}
	return t, 0
}

// forgive takes back that a try was counted: it was a good one.
func (l *limiter) forgive(t try) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, slot := range t.slots {
		*slot -= int64(tryEvery)
	}
}

// meters are instants in Unix nanoseconds at which all tries of a slot have been
// worked off.
type meters []int64

func (m meters) slot(hash uint64) *int64 { return &m[hash%uint64(len(m))] }

// waitFor returns how long the next try of a meter has to wait, 0 for not at all.
func waitFor(done, at int64) time.Duration {
	return max(0, time.Duration(done-at)-(triesAtOnce-1)*tryEvery)
}

// network returns what counts as the same place to come from: an IPv4 address with
// its 255 neighbours, an IPv6 address with its /64.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return "elsewhere"
	}
	bits := 64
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		bits = 24
	}
	prefix, err := ip.Prefix(bits)
	if err != nil {
		return "elsewhere"
	}
	return prefix.Masked().String()
}
