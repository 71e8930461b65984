package executorauth

import (
	"context"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/orthd/orth/internal/tries"
)

// maxFamiliar bounds the places that are known to have a token; then all are forgotten.
const maxFamiliar = 8192

// wrong slows down those who guess at tokens. Tokens that were made here cannot be
// guessed, and are taken however many wrong ones come; those that people made up are
// not looked at while too many wrong ones come from their network, unless the very same
// address has shown them before, or is that of a living executor that did.
type wrong struct {
	limiter *tries.Limiter
	alive   Executors // nil for none
	address func(context.Context) string

	mu       *sync.Mutex
	familiar map[familiar]struct{} // guarded by mu
}

// familiar is an address with a token that was shown there.
type familiar struct {
	address string
	token   int64
}

func newWrong(c *Config) wrong {
	l := c.Guesses
	if l == nil {
		l = tries.NewLimiter(tries.Config{})
	}
	return wrong{limiter: l, alive: c.Executors, address: c.Address, mu: new(sync.Mutex), familiar: make(map[familiar]struct{})}
}

// mayShow reports why a token that is right is not looked at. weak says that it can be
// guessed.
func (w *wrong) mayShow(ctx context.Context, weak bool, token int64) error {
	if !weak {
		return nil
	}
	at := familiar{w.address(ctx), token}
	if w.knows(at) {
		return nil
	}
	if wait := w.limiter.Wait(at.address, time.Now()); wait > 0 && !w.lives(at) {
		return tries.TooOften(wait)
	}
	w.remember(at)
	return nil
}

func (w *wrong) knows(at familiar) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, known := w.familiar[at]
	return known
}

func (w *wrong) remember(at familiar) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.familiar) >= maxFamiliar {
		clear(w.familiar)
	}
	w.familiar[at] = struct{}{}
}

// lives reports whether an executor with a lease is at an address and showed the token
// last. Leases outlive a restart of the server, and are those of all servers.
func (w *wrong) lives(at familiar) bool {
	ip, err := netip.ParseAddr(at.address)
	if err != nil || w.alive == nil {
		return false
	}
	for _, e := range w.alive.Executors() {
		if e.TokenID != at.token {
			continue
		}
		u, err := url.Parse(e.Address)
		if err != nil {
			continue
		}
		if host, err := netip.ParseAddr(u.Hostname()); err == nil && host.Unmap() == ip.Unmap() {
			return true
		}
	}
	return false
}

// Wrong counts an unknown token, by where it came from, and returns the error to
// answer: the same as for a right one that is not looked at. Kinds: Unauthorized, Full.
func (g *Groups) Wrong(ctx context.Context, token string) error {
	if wait := g.wrong.limiter.Wrong(g.wrong.address(ctx), token, time.Now()); wait > 0 {
		return tries.TooOften(wait)
	}
	return unknown()
}
