package signing

import (
	"sync"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

// maxNonces is how many nonces are remembered at most, about 40 bytes each.
const maxNonces = 1 << 20

// nonce is one that was seen.
type nonce [nonceBytes]byte

// nonces remembers the nonces of requests whose signature was right, in two
// generations: each is known for as long as its request could be sent again, and
// for twice that at most. It never forgets one early: when there are too many it
// takes no new ones. One token has at most half of the places, so that those of
// others can go on. It is safe for concurrent use.
type nonces struct {
	limit int
	lasts time.Duration // of a generation

	mu         sync.Mutex
	young, old generation // guarded by mu
	since      time.Time  // guarded by mu: when the young one began
}

// generation is the nonces of each token that came one after the other. What has no
// pointers costs the collector nothing.
type generation struct {
	of  map[string]map[nonce]struct{}
	all int
}

func newGeneration() generation { return generation{of: make(map[string]map[nonce]struct{})} }

func (g *generation) has(key string, one nonce) bool {
	_, seen := g.of[key][one]
	return seen
}

func (g *generation) add(key string, one nonce) {
	own := g.of[key]
	if own == nil {
		own = make(map[nonce]struct{})
		g.of[key] = own
	}
	own[one] = struct{}{}
	g.all++
}

// newNonces returns a memory for limit nonces that may come back until lasts is
// over.
func newNonces(limit int, lasts time.Duration) *nonces {
	return &nonces{limit: limit, lasts: lasts, young: newGeneration(), old: newGeneration()}
}

// take remembers the nonce of a token. Kinds: Unauthorized when it was seen, Full
// when there is no place.
func (n *nonces) take(key, text string, now time.Time) error {
	var one nonce
	if len(text) != nonceText {
		return badNonce()
	}
	if _, err := encodedNonce().Decode(one[:], []byte(text)); err != nil {
		return badNonce()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn(now)
	if n.young.has(key, one) || n.old.has(key, one) {
		return job.Errorf(job.Unauthorized, "this very request was seen before: sign each anew")
	}
	if n.young.all+n.old.all >= n.limit || len(n.young.of[key])+len(n.old.of[key]) >= max(n.limit/2, 1) {
		return job.Errorf(job.Full, "more requests came in %s than can be told apart from ones that are sent again; send later, "+
			"and more in each", n.lasts)
	}
	n.young.add(key, one)
	return nil
}

// turn begins a new generation when it is time. mu is held.
func (n *nonces) turn(now time.Time) {
	switch age := now.Sub(n.since); {
	case age < n.lasts:
	case age < 2*n.lasts:
		n.old, n.young, n.since = n.young, newGeneration(), now
	default: // nothing came for so long that both are over
		n.old, n.young, n.since = newGeneration(), newGeneration(), now
	}
}

func badNonce() error {
	return job.Errorf(job.Unauthorized, "the header %s must be %d random bytes in base64url", message.HeaderNonce, nonceBytes)
}
