package sim

import (
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"
)

// dice are random numbers that a seed and a name fix. They are safe for concurrent
// use.
type dice struct {
	mu   sync.Mutex
	rand *rand.Rand // guarded by mu
}

func newDice(seed uint64, name string) *dice {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return &dice{rand: rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// below returns a number in [0,n).
func (d *dice) below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rand.IntN(n)
}

// chance reports true once in so many times as the share says, a number in [0,1].
func (d *dice) chance(share float64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rand.Float64() < share
}

// between returns a whole number of milliseconds in [least,most).
func (d *dice) between(least, most time.Duration) time.Duration {
	return least + time.Duration(d.below(int((most-least)/time.Millisecond)))*time.Millisecond
}
