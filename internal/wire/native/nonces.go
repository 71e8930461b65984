package native

import (
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// maxNonces is how many nonces are remembered at most, about 100 bytes each.
const maxNonces = 1 << 20

// nonce is one that was seen, with the token that it was used with.
type nonce struct {
	key   string
	bytes [nonceBytes]byte
}

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

// generation is the nonces that came one after the other, and how many each token
// has among them.
type generation struct {
	seen map[nonce]struct{}
	of   map[string]int
}

func newGeneration() generation {
	return generation{seen: make(map[nonce]struct{}), of: make(map[string]int)}
}

// newNonces returns a memory for limit nonces that may come back until lasts is
// over.
func newNonces(limit int, lasts time.Duration) *nonces {
	return &nonces{limit: limit, lasts: lasts, young: newGeneration(), old: newGeneration()}
}

// take remembers the nonce of a token. Kinds: Unauthorized when it was seen, Full
// when there is no place.
func (n *nonces) take(key, text string, now time.Time) error {
	one := nonce{key: key}
	if len(text) != nonceText {
		return badNonce()
	}
	if _, err := encodedNonce().Decode(one.bytes[:], []byte(text)); err != nil {
		return badNonce()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn(now)
	_, young := n.young.seen[one]
	_, old := n.old.seen[one]
	if young || old {
		return job.Errorf(job.Unauthorized, "this very request was seen before: sign each anew")
	}
	if len(n.young.seen)+len(n.old.seen) >= n.limit || n.young.of[key]+n.old.of[key] >= max(n.limit/2, 1) {
		return job.Errorf(job.Full, "more requests came in %s than can be told apart from ones that are sent again; send later, "+
			"and more in each", n.lasts)
	}
	n.young.seen[one] = struct{}{}
	n.young.of[key]++
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
	return job.Errorf(job.Unauthorized, "the header %s must be %d random bytes in base64url", headerNonce, nonceBytes)
}
