package sim

import (
	"context"
	"slices"
	"sync"
	"time"
)

func newBlock(seed uint64, name string) *block { return &block{dice: newDice(seed, "ids of "+name)} }

// The sizes of blocks, and how long one is good.
const (
	leastBlock = 1
	mostBlock  = 12
	blockFresh = 10 * time.Second
)

// block is the numbers that one life of a server has reserved, in order, for runs and for their
// later attempts. Each server of a database gives numbers out of blocks of its own, so over all
// servers they do not grow from run to run, and those of a server that dies are never given.
type block struct {
	dice *dice

	mu    sync.Mutex
	left  []int64   // guarded by mu
	since time.Time // guarded by mu
}

// draw returns the next number, and reserves a block when there is none.
func (b *block) draw(ctx context.Context, next func(context.Context) (int64, error)) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.left) > 0 && time.Since(b.since) >= blockFresh {
		b.left = nil
	}
	if len(b.left) == 0 {
		b.since = time.Now()
		for range leastBlock + b.dice.below(mostBlock) {
			id, err := next(ctx)
			if err != nil {
				return 0, err
			}
			b.left = append(b.left, id)
		}
		slices.Sort(b.left)
	}
	id := b.left[0]
	b.left = b.left[1:]
	return id, nil
}
