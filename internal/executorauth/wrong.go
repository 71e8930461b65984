package executorauth

import (
	"context"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/orthd/orth/internal/tries"
)

// maxFamiliar bounds the remembered addresses. When it is full, all are dropped.
const maxFamiliar = 8192

// wrong slows down attackers who guess tokens. Generated tokens cannot be guessed, and are
// always accepted. Guessable tokens are refused while too many wrong ones come from their
// network. Exceptions are an address that sent the token before, and the address of a live
// executor that did.
type wrong struct {
	limiter *tries.Limiter
	alive   Executors // nil for none
	address func(context.Context) string

	mu       *sync.Mutex
	familiar map[familiar]struct{} // guarded by mu
}

// familiar is an address and a token that it sent.
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

// mayShow reports why a valid token is refused. weak means that it can be guessed.
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

// lives reports whether an executor with a lease is at an address and sent the token last.
// Leases outlive a restart of the server, and cover all servers.
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

// Wrong counts an unknown token by its origin, and returns the error for the response. It
// is the same as for a valid token that is refused. Kinds: Unauthorized, Full.
func (g *Groups) Wrong(ctx context.Context, token string) error {
	if wait := g.wrong.limiter.Wrong(g.wrong.address(ctx), token, time.Now()); wait > 0 {
		return tries.TooOften(wait)
	}
	return unknown()
}
