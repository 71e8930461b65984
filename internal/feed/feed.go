package feed

import (
	"context"
	"sync"
)

// Config bounds a feed.
type Config struct {
	// Keep is how many items are kept. Defaults to 16,384.
	Keep int
	// Behind is how many items a reader may lag behind, in addition to those that it has
	// come back to. Defaults to 1,024.
	Behind int
}

// Feed is a feed of items. The first one has the number 1.
type Feed[T any] struct {
	behind uint64

	mu      sync.Mutex
	ring    []T           // guarded by mu; the item n is at n modulo its length
	first   uint64        // guarded by mu: the number of the oldest item that is kept
	next    uint64        // guarded by mu: the number of the next item
	changed chan struct{} // guarded by mu: closed when there is more; nil without waiting readers
}

// New returns an empty feed.
func New[T any](c Config) *Feed[T] {
	if c.Keep <= 0 {
		c.Keep = 16_384
	}
	if c.Behind <= 0 {
		c.Behind = 1024
	}
	return &Feed[T]{behind: uint64(c.Behind), ring: make([]T, c.Keep), first: 1, next: 1}
}

// Append adds items, in order, and wakes the readers. It never waits for one.
func (f *Feed[T]) Append(items ...T) {
	if len(items) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	size := uint64(len(f.ring))
	for i := range items {
		f.ring[f.next%size] = items[i]
		f.next++
	}
	if f.next-f.first > size {
		f.first = f.next - size
	}
	f.wake()
}

// Cut marks missing items at this position: no reader continues beyond it without the
// reason [Gap].
func (f *Feed[T]) Cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.ring)
	f.next++ // a number that no item has
	f.first = f.next
	f.wake()
}

// wake wakes those who wait. The caller holds mu.
func (f *Feed[T]) wake() {
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// Last returns the number of the newest item, 0 when there was none.
func (f *Feed[T]) Last() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.next - 1
}

// Read returns a reader of what comes from now on.
func (f *Feed[T]) Read() *Reader[T] {
	return &Reader[T]{feed: f, at: f.Last() + 1, allowed: f.behind}
}

// ReadAfter returns a reader of what comes behind the item of a number, and false when
// not all of that is kept.
func (f *Feed[T]) ReadAfter(number uint64) (*Reader[T], bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := number + 1
	if at < f.first || at > f.next || at == 0 {
		return nil, false
	}
	return &Reader[T]{feed: f, at: at, allowed: f.next - at + f.behind}, true
}

// Lost is why a reader has missed items.
type Lost int

// The reasons.
const (
	// None is none.
	None Lost = iota
	// Slow is that the reader was too far behind.
	Slow
	// Gap is that items are missing from the feed itself.
	Gap
)

// Reader reads a feed. One goroutine uses it.
type Reader[T any] struct {
	feed    *Feed[T]
	at      uint64 // the number of the next item
	allowed uint64 // how many items it may be behind
}

// After returns the number behind which the reader stands.
func (r *Reader[T]) After() uint64 { return r.at - 1 }

// maxTaken bounds the items that are taken at once.
const maxTaken = 256

// Next waits for items and appends them to into: at least one, and few enough for one
// write. When the reader has missed some it returns none, with the reason, and moves to the
// newest one. It ends with the context's error.
func (r *Reader[T]) Next(ctx context.Context, into []T) ([]T, Lost, error) {
	for {
		taken, lost, changed := r.take(into)
		if lost != None || len(taken) > len(into) {
			return taken, lost, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return into, None, ctx.Err()
		}
	}
}

// take takes what there is; changed is closed when there is more.
func (r *Reader[T]) take(into []T) (taken []T, lost Lost, changed <-chan struct{}) {
	f := r.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	behind := f.next - r.at
	switch {
	case r.at < f.first && f.next-f.first < uint64(len(f.ring)) && behind <= r.allowed:
		lost = Gap
	case r.at < f.first, behind > r.allowed:
		lost = Slow
	case behind == 0:
		if f.changed == nil {
			f.changed = make(chan struct{})
		}
		return into, None, f.changed
	}
	if lost != None {
		r.at, r.allowed = f.next, f.behind
		return into, lost, nil
	}
	size := uint64(len(f.ring))
	for range min(behind, maxTaken) {
		into = append(into, f.ring[r.at%size])
		r.at++
	}
	r.allowed = min(r.allowed, f.next-r.at+f.behind)
	return into, None, nil
}
