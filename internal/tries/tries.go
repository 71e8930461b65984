// Package tries bounds how often secrets are tried.
//
// It knows when tries take effect again, by the network that they come from or another
// name they are counted by, in the same memory whatever is tried. It must never keep
// what is tried but as a hash, nor know what a right try opens. Names and instants come
// in; how long to wait goes out.
package tries

import (
	"fmt"
	"hash/maphash"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// Pace is how many tries take effect: so many at once, and then one each so often.
type Pace struct {
	AtOnce int
	Every  time.Duration
}

// Wait returns how long the next try of a meter has to wait, 0 for not at all. done and
// at are in Unix nanoseconds.
func (p Pace) Wait(done, at int64) time.Duration {
	return max(0, time.Duration(done-at)-time.Duration(p.AtOnce-1)*p.Every)
}

// Meters are instants in Unix nanoseconds at which all tries of a slot have been
// worked off. Names that share a slot are counted together.
type Meters []int64

// Slot returns the meter of a hash.
func (m Meters) Slot(hash uint64) *int64 { return &m[hash%uint64(len(m))] }

// slots is how many meters a Limiter has, and how many wrong tries it remembers.
const slots = 1 << 16

// reportEvery is the least time between two log lines of a Limiter.
const reportEvery = time.Minute

// Config says how a Limiter counts, and who hears of it.
type Config struct {
	// Pace defaults to that of [Tokens].
	Pace Pace
	// Door names in log lines where the tries are made.
	Door string
	// Counted is called with each wrong try. Defaults to nil.
	Counted func(slowed bool)
	// Logger gets a line a minute at most while tries are slowed down. Defaults to
	// discarding it.
	Logger *slog.Logger
}

// Limiter counts tries that were wrong by the network that they come from. A try that
// was counted lately and is repeated teaches nothing, so it does not count again: a
// fleet with an old token slows nobody down. It is safe for concurrent use.
type Limiter struct {
	config Config
	seed   maphash.Seed // read-only

	mu       sync.Mutex
	meters   Meters    // guarded by mu, like the others
	tried    []uint64  // hashes of wrong tries with their networks
	slowed   int       // tries that were slowed down since the last report
	reported time.Time // when the last line was written
}

// NewLimiter returns a limiter that has counted none.
func NewLimiter(c Config) *Limiter {
	if c.Pace == (Pace{}) {
		c.Pace = Tokens()
	}
	if c.Counted == nil {
		c.Counted = func(bool) {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Limiter{config: c, seed: maphash.MakeSeed(), meters: make(Meters, slots), tried: make([]uint64, slots)}
}

// Tokens is how often different wrong tokens may be shown from a network: thirty at once
// and then one each two seconds. It leaves who guesses at words a million of them in 23
// days.
func Tokens() Pace { return Pace{AtOnce: 30, Every: 2 * time.Second} }

// Wait returns how long tries from an address have to wait, 0 for not at all.
func (l *Limiter) Wait(address string, now time.Time) time.Duration {
	slot := maphash.String(l.seed, Network(address))
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.config.Pace.Wait(*l.meters.Slot(slot), now.UnixNano())
}

// Wrong counts a try from an address that was wrong, and returns how long it should have
// waited: then it is not counted. Of the try only a hash is kept.
func (l *Limiter) Wrong(address, try string, now time.Time) time.Duration {
	network := Network(address)
	wait, slowed := l.count(network, try, now)
	l.config.Counted(wait > 0)
	if slowed > 0 {
		l.config.Logger.Warn("wrong tokens are slowed down", "door", l.config.Door, "from", network, "tries", slowed,
			"hint", "a line each minute at most; tries are those of all networks since the last one")
	}
	return wait
}

// count is Wrong without the reports. slowed is not 0 when it is time for one: the number
// of tries to report.
func (l *Limiter) count(network, try string, now time.Time) (wait time.Duration, slowed int) {
	place := maphash.String(l.seed, network)
	this := maphash.Comparable(l.seed, [2]string{network, try})
	l.mu.Lock()
	defer l.mu.Unlock()
	before := &l.tried[this%slots]
	if *before == this {
		return 0, 0
	}
	slot := l.meters.Slot(place)
	if wait = l.config.Pace.Wait(*slot, now.UnixNano()); wait == 0 {
		*slot, *before = max(*slot, now.UnixNano())+int64(l.config.Pace.Every), this
		return 0, 0
	}
	l.slowed++
	if now.Sub(l.reported) < reportEvery {
		return wait, 0
	}
	slowed, l.slowed, l.reported = l.slowed, 0, now
	return wait, slowed
}

// TooOftenError is the error for a token that was shown after too many wrong ones. It is
// of kind Full.
type TooOftenError struct {
	// Wait is how long to wait, in whole seconds.
	Wait time.Duration
}

// TooOften returns the error for who has to wait so long.
func TooOften(wait time.Duration) error {
	return &TooOftenError{(wait + time.Second - 1).Truncate(time.Second)}
}

// Error says how long to wait.
func (t *TooOftenError) Error() string { return t.Unwrap().Error() }

// RetryAfter returns how long to wait.
func (t *TooOftenError) RetryAfter() time.Duration { return t.Wait }

// Unwrap returns the error as callers see it.
func (t *TooOftenError) Unwrap() error {
	full := job.Errorf(job.Full, "too many wrong tokens were shown from this network: try again in %s", t.Wait)
	full.Hint = fmt.Sprintf("tokens that Orth has made are taken all the same; of others at most %d wrong ones are looked at in a minute", int(time.Minute/Tokens().Every))
	return full
}

// Network returns what counts as the same place to come from: an IPv4 address with
// its 255 neighbours, an IPv6 address with its /64.
func Network(address string) string {
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
