package observe

import (
	"iter"
	"maps"

	"github.com/orthd/orth/solana/thread"
)

// accountRange is a part of an account that a trigger watches.
type accountRange struct {
	key          thread.Key
	offset, size uint64
}

// largestSpan is how many bytes of an account are watched at most.
const largestSpan = 64 << 10

// watches are the parts of accounts that threads watch, each once however many do.
type watches struct {
	most    int
	all     map[accountRange]*watch
	wanted  map[accountRange]struct{} // to be read
	version uint64                    // of the set of spans
	refused uint64                    // triggers beyond the limits
}

// watch is what a span holds.
type watch struct {
	threads map[*tracked]struct{}
	hash    uint64
	slot    uint64
	found   bool // there is an account
	known   bool
}

func newWatches(most int) watches {
	return watches{most: most, all: make(map[accountRange]*watch), wanted: make(map[accountRange]struct{})}
}

// spanOf returns what a thread watches.
func spanOf(t *thread.Thread) (accountRange, bool) {
	if t == nil || t.Trigger.Kind != thread.OnAccount {
		return accountRange{}, false
	}
	return accountRange{t.Trigger.Address, t.Trigger.Offset, t.Trigger.Size}, true
}

// follow watches what a thread's trigger names, in the place of what that of its old state named.
func (w *watches) follow(t *tracked, old *thread.Thread) {
	before, had := spanOf(old)
	now, has := spanOf(t.state)
	if had == has && before == now {
		return
	}
	if had {
		w.dropWatch(t, before)
	}
	if !has {
		return
	}
	it := w.all[now]
	if it == nil {
		if len(w.all) >= w.most || now.size > largestSpan {
			w.refused++
			return
		}
		it = &watch{threads: make(map[*tracked]struct{})}
		w.all[now] = it
		w.wanted[now] = struct{}{}
		w.version++
	}
	it.threads[t] = struct{}{}
}

// leave ends what is watched for a thread.
func (w *watches) leave(t *tracked) {
	if s, has := spanOf(t.state); has {
		w.dropWatch(t, s)
	}
}

func (w *watches) dropWatch(t *tracked, s accountRange) {
	it := w.all[s]
	if it == nil {
		return
	}
	if delete(it.threads, t); len(it.threads) == 0 {
		delete(w.all, s)
		delete(w.wanted, s)
		w.version++
	}
}

// applySpan takes what a span holds at a slot, unless something newer is known.
func (w *watches) applySpan(s accountRange, data []byte, found bool, slot uint64) bool {
	it := w.all[s]
	if it == nil || it.known && slot < it.slot {
		return false
	}
	it.known, it.found, it.slot = true, found, slot
	it.hash = (&thread.Trigger{Size: s.size}).Watched(data)
	return true
}

// believe has all be known at a slot that is believed.
func (w *watches) believe(believed func(uint64) uint64) {
	for _, it := range w.all {
		it.slot = believed(it.slot)
	}
}

// changed reports whether the bytes that a thread watches differ from those at its last
// execution. If the thread is known at a later slot than its account, the account has to be
// read again first.
func (w *watches) changed(t *tracked) bool {
	s, _ := spanOf(t.state)
	it := w.all[s]
	if it == nil || !it.known || !it.found || it.hash == t.state.Schedule.Hash {
		return false
	}
	if it.slot < t.slot {
		w.wanted[s] = struct{}{}
		return false
	}
	return true
}

// watchersOf returns the threads that watch a span.
func (w *watches) watchersOf(s accountRange) iter.Seq[*tracked] {
	it := w.all[s]
	if it == nil {
		return func(func(*tracked) bool) {}
	}
	return maps.Keys(it.threads)
}

// readAll has all spans read again.
func (w *watches) readAll() {
	for s := range w.all {
		w.wanted[s] = struct{}{}
	}
}

// readAgain has a span read again, if it is still watched.
func (w *watches) readAgain(s accountRange) bool {
	if w.all[s] == nil {
		return false
	}
	w.wanted[s] = struct{}{}
	return true
}

// forget has what is known of accounts hold for no slot any more.
func (w *watches) forget() {
	for _, it := range w.all {
		it.slot = 0
	}
}
