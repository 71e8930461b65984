package observe

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// world is a chain with threads, reported by two nodes in their own time.
type world struct {
	*desk
	random  *rand.Rand
	slot    uint64
	unix    int64
	threads map[byte]*thread.Thread // as they are; nil: closed
	late    []func()                // what nodes have not reported yet
	told    map[string]int          // how often each execution was emitted as ready
	early   []string
}

// change changes a thread on the chain, reported by both nodes, or one, or none.
func (w *world) change(n byte) {
	state, exists := w.threads[n], w.threads[n] != nil
	switch {
	case exists && w.random.IntN(12) == 0:
		w.threads[n] = nil
	case !exists:
		made := every(w.unix+int64(w.random.IntN(20)), uint64(w.random.IntN(2))*1000+w.slot) // never the count of an earlier one
		w.threads[n] = &made
	case w.random.IntN(3) == 0:
		paused := *state
		paused.Paused = !paused.Paused
		w.threads[n] = &paused
	case !state.Paused && state.Schedule.Next <= w.unix:
		next := *state
		next.ExecCount++
		next.Schedule.Prev, next.Schedule.Next = w.unix, w.unix+int64(w.random.IntN(15))
		w.threads[n] = &next
	}
	slot, now := w.slot, w.threads[n]
	for range w.random.IntN(3) { // nodes
		w.late = append(w.late, func() {
			if now == nil {
				w.account(key(n), nil, slot)
				return
			}
			w.account(key(n), account(*now), slot)
		})
	}
}

// list is a list of all threads, which may be reported late, too.
func (w *world) listAll() {
	var all []rpc.Keyed
	for n, state := range w.threads {
		if state != nil {
			all = append(all, rpc.Keyed{Key: key(n), Account: *account(*state)})
		}
	}
	slot := w.slot
	w.late = append(w.late, func() { w.applyList(all, slot) })
}

// readAll reads what is to be read, as it is now.
func (w *world) readAll() {
	for _, k := range taken(w.wanted) {
		if state := w.threads[k[0]]; state != nil {
			w.account(k, account(*state), w.slot)
		} else {
			w.account(k, nil, w.slot)
		}
		w.noteRead(k)
	}
}

// take takes some events, or all.
func (w *world) take(all bool) {
	for all || w.random.IntN(4) > 0 {
		event, t := w.nextEvent(w.now)
		switch {
		case event == nil:
			return
		case !all && w.random.IntN(5) == 0:
			w.noteRefused(event, t)
			continue
		}
		w.noteReceived(event, t)
		e, is := event.(ThreadReady)
		if !is {
			continue
		}
		w.told[fmt.Sprint(e.Thread[0], e.State.ExecCount, e.State.Schedule, e.Slot)]++
		if e.State.Schedule.Next > w.clock.estimateAt(w.now) || e.State.Paused {
			w.early = append(w.early, fmt.Sprintf("%d, due at %d", e.Thread[0], e.State.Schedule.Next))
		}
	}
}

// Whatever nodes report, late, twice, in another order or not at all: with one list at the
// end the book is as the chain is. What is due was emitted as ready, nothing was emitted
// before its time, and nothing twice for one state.
func TestBookConverges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		w := &world{desk: newDesk(t), random: rand.New(rand.NewPCG(seed, 3)), slot: 1000, unix: 100, threads: make(map[byte]*thread.Thread), told: make(map[string]int)}
		for range 400 {
			w.slot++
			w.now = w.now.Add(400 * time.Millisecond)
			if w.slot%3 == 0 {
				w.unix++
			}
			if w.random.IntN(3) > 0 {
				w.tick(w.slot-uint64(w.random.IntN(2)), w.unix)
			}
			w.change(byte(w.random.IntN(20)))
			if w.random.IntN(60) == 0 {
				w.listAll()
			}
			if w.random.IntN(10) == 0 {
				w.readAll()
			}
			for len(w.late) > 0 && w.random.IntN(3) > 0 {
				i := w.random.IntN(len(w.late))
				tell := w.late[i]
				w.late = slices.Delete(w.late, i, i+1)
				tell()
				if w.random.IntN(10) == 0 {
					tell()
				}
			}
			w.take(false)
		}
		w.slot++
		w.listAll()
		w.late[len(w.late)-1]()
		w.readAll()
		w.slot++
		w.tick(w.slot, w.unix+2)
		w.take(true)
		w.check(seed)
	}
}

func (w *world) check(seed uint64) {
	w.t.Helper()
	if len(w.early) > 0 {
		w.t.Errorf("seed %d: told before their time: %q", seed, w.early)
	}
	for execution, n := range w.told {
		if n > 1 {
			w.t.Errorf("seed %d: %s was told as ready %d times", seed, execution, n)
		}
	}
	for n := range byte(20) {
		want, got := w.threads[n], w.book.threads[key(n)]
		switch {
		case want == nil && got == nil:
			continue
		case want == nil || got == nil:
			w.t.Errorf("seed %d: thread %d: the chain has %v, the book %v", seed, n, want, got)
			continue
		case !sameOccasion(want, got.state):
			w.t.Errorf("seed %d: thread %d is %+v, want %+v", seed, n, got.state, want)
		}
		if due := !want.Paused && want.Schedule.Next <= w.clock.estimateAt(w.now); due != got.emitted || got.ready {
			w.t.Errorf("seed %d: thread %d is due: %v, and was emitted: %v", seed, n, due, got.emitted)
		}
	}
	if len(w.seconds) != func() (n int) {
		for _, t := range w.book.threads {
			if t.in != nil {
				n++
			}
		}
		return n
	}() || w.ready.len()+w.news.len() != 0 {
		w.t.Errorf("seed %d: %d wait for their time, %d to be told", seed, len(w.seconds), w.ready.len()+w.news.len())
	}
}
