package ownership

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/solana/thread"
)

// start is an instant.
func start() time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) }

// Who executed it goes first; who was too late has lost it at once; who is raced holds on for five times.
func TestKeeper(t *testing.T) {
	t.Parallel()
	me, other, of := key(1), key(2), key(9)
	now := start()
	k := NewKeeper(me, Rules{})
	may := func(last thread.Key, count uint64, overdue time.Duration) bool {
		return k.decide(of, last, count, overdue, now).Now
	}
	k.noteSeen(of, me, 1, now)
	if !may(me, 1, 0) {
		t.Fatal("its own thread is not executed at once")
	}
	for race := 1; race <= 5; race++ { // another is quicker, again and again
		now = now.Add(time.Second)
		k.noteSeen(of, other, uint64(1+race), now)
		if held := may(other, uint64(1+race), 0); held != (race < 5) {
			t.Fatalf("after %d lost races it is held: %v", race, held)
		}
	}
	if k.stats.Lost != 5 || k.stats.Released != 1 || k.held != 0 || k.lost != 1 {
		t.Errorf("%+v, %d are held, %d were lost", k.stats, k.held, k.lost)
	}

	k.noteSeen(of, me, 10, now) // taken over, as the other was late
	k.noteSeen(of, me, 10, now) // and reported once more
	if !may(me, 10, 0) || k.lost != 0 {
		t.Error("what it has won back is not its own")
	}
	now = now.Add(11 * time.Second)
	k.noteSeen(of, other, 11, now)
	if may(other, 11, 0) || k.stats.TakenOver != 1 {
		t.Errorf("what another has taken over late is still held: %+v", k.stats)
	}
	if k.stats.Won != 2 {
		t.Errorf("it has won %d times, want 2", k.stats.Won)
	}
	k.Forget(of)
	if len(k.threads) != 0 || k.lost != 0 {
		t.Errorf("of a closed thread remain %v", k.threads)
	}
}

// One lost race is forgotten with the next that is won, and losses do not count for ever.
func TestKeeperForgives(t *testing.T) {
	t.Parallel()
	me, other, of := key(1), key(2), key(9)
	now := start()
	k := NewKeeper(me, Rules{})
	k.noteSeen(of, me, 1, now)
	for count := uint64(1); count < 40; count += 2 {
		k.decide(of, me, count, 0, now)
		k.noteSeen(of, other, count+1, now)
		if !k.decide(of, other, count+1, 0, now).Now {
			t.Fatalf("it was given up after a single race, at %d", count)
		}
		k.noteSeen(of, me, count+2, now)
	}
	k.decide(of, me, 41, 0, now)
	k.noteSeen(of, other, 42, now)
	now = now.Add(11 * time.Minute)
	k.decide(key(8), other, 1, 0, now)
	if k.lost != 0 || k.threads[of].losses != 0 || len(k.peers) != 0 {
		t.Errorf("after eleven minutes: %d lost, %+v, %d others", k.lost, k.threads[of], len(k.peers))
	}
	k.decide(key(8), other, 1, 0, now.Add(heldLife))
	if len(k.threads) != 0 || k.held != 0 {
		t.Errorf("after a day %d threads are remembered, %d of them held", len(k.threads), k.held)
	}
}

// Who loses more than half of what it holds waits longer before it takes over more.
func TestKeeperCapacity(t *testing.T) {
	t.Parallel()
	me, other := key(1), key(2)
	now := start()
	k := NewKeeper(me, Rules{})
	for n := range byte(4) {
		k.noteSeen(key(10+n), me, 1, now)
	}
	for n := range byte(2) {
		k.noteSeen(key(10+n), other, 2, now)
	}
	if !k.atCapacity() {
		t.Fatalf("%d lost and %d held are not at capacity", k.lost, k.held)
	}
	// The other is the last executor, so that it counts for no rank.
	if d := k.decide(key(50), other, 1, 10*time.Second, now); d.Now || d.After != 5*time.Second {
		t.Errorf("at capacity it decides %+v, want 5 s more", d)
	}
	k.noteSeen(key(10), me, 3, now)
	if d := k.decide(key(50), other, 1, 10*time.Second, now); !d.Now {
		t.Errorf("below it decides %+v", d)
	}
}

// The methods that take the time themselves.
func TestKeeperMay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := NewKeeper(key(1), Rules{})
		state := &thread.Thread{LastExecutor: key(2), ExecCount: 3}
		k.Seen(key(9), key(2), 3)
		if may, after := k.May(key(9), state, 4*time.Second); may || after != 6*time.Second {
			t.Errorf("another's thread: %v, after %v", may, after)
		}
		if s := k.Stats(); s.Peers != 1 || s.Held != 0 {
			t.Errorf("%+v", s)
		}
		never := NewKeeper(key(1), Rules{TakeoverDelay: -1})
		if may, after := never.May(key(9), state, 4*time.Hour); may || after != time.Hour {
			t.Errorf("where none takes over: %v, after %v", may, after)
		}
	})
}

// What is remembered is bounded, and the counters keep up with it.
func TestKeeperBounds(t *testing.T) {
	t.Parallel()
	k := NewKeeper(key(1), Rules{})
	now := start()
	name := func(n int) (of thread.Key) {
		of[0], of[1], of[2], of[31] = byte(n), byte(n>>8), byte(n>>16), 7
		return of
	}
	for n := range mostThreads + 1000 {
		k.noteSeen(name(n), key(1), 1, now)
	}
	for n := range 3 * mostPeers {
		k.noteSeen(name(1), name(n), uint64(2+n), now.Add(time.Duration(n)))
	}
	if len(k.threads) > mostThreads || len(k.peers) != mostPeers {
		t.Errorf("%d threads and %d others are remembered", len(k.threads), len(k.peers))
	}
	if _, known := k.peers[name(3*mostPeers-1)]; !known {
		t.Error("the newest of the others is forgotten")
	}
	held, lost := 0, 0
	for _, r := range k.threads {
		if r.held {
			held++
		}
		if r.isLost() {
			lost++
		}
	}
	if held != k.held || lost != k.lost {
		t.Errorf("%d are held and %d lost, it counts %d and %d", held, lost, k.held, k.lost)
	}
}

// executor is one of those that share a thread in TestTwoExecutors.
type executor struct {
	*Keeper
	key   thread.Key
	delay time.Duration // until it sees what the chain is
	dead  bool
}

// With executors that see the chain late, each in its own way, and die and come back at any time, nobody goes with a slot before
// its last executor's time is over but that one itself, and a dead one's slots find another soon.
func TestTwoExecutors(t *testing.T) {
	t.Parallel()
	for seed := range uint64(25) {
		random := rand.New(rand.NewPCG(seed, 7))
		now := start()
		all := []*executor{{key: key(1)}, {key: key(2)}}
		for _, e := range all {
			e.Keeper = NewKeeper(e.key, Rules{})
			e.delay = time.Duration(random.IntN(2000)) * time.Millisecond
		}
		const every, landing, of = 30 * time.Second, 600 * time.Millisecond, 9
		type state struct {
			at    time.Time
			last  thread.Key
			count uint64
		}
		states := []state{{at: now, last: all[0].key, count: 1}}
		due := now.Add(every)
		tried := make(map[uint64]map[thread.Key]bool) // who went early with a slot
		var pending *state
		for range 40_000 {
			now = now.Add(50 * time.Millisecond)
			newest := states[len(states)-1]
			if pending != nil && !now.Before(pending.at) {
				newest, pending = *pending, nil
				states, due = append(states, newest), newest.at.Add(every)
			}
			if late := now.Sub(due); late > 10*time.Second+3*time.Second && (!all[0].dead || !all[1].dead) && pending == nil {
				t.Fatalf("seed %d: slot %d is %v late, and an executor lives", seed, newest.count, late)
			}
			for _, e := range all {
				if random.IntN(1500) == 0 && now.Before(due.Add(-5*time.Second)) {
					if e.dead = !e.dead; !e.dead {
						e.Keeper = NewKeeper(e.key, Rules{}) // it remembers nothing
					}
				}
				seen := states[len(states)-1]
				if now.Sub(seen.at) < e.delay && len(states) > 1 {
					seen = states[len(states)-2]
				}
				if e.dead || pending != nil {
					continue
				}
				e.noteSeen(key(of), seen.last, seen.count, now)
				chain := now.Add(-e.delay) // the clock comes late, too
				if seen.count != newest.count || chain.Before(due) || !e.decide(key(of), seen.last, seen.count, chain.Sub(due), now).Now {
					continue
				}
				if now.Sub(due) < 10*time.Second {
					if tried[seen.count] == nil {
						tried[seen.count] = make(map[thread.Key]bool)
					}
					tried[seen.count][e.key] = true
					if seen.last != e.key {
						t.Fatalf("seed %d: slot %d was another's, and is executed after %v", seed, seen.count, now.Sub(due))
					}
				}
				pending = &state{at: now.Add(landing), last: e.key, count: seen.count + 1}
			}
			if all[0].dead && all[1].dead {
				all[random.IntN(2)].dead = false
				due = now.Add(every)
			}
		}
		if len(states) < 20 {
			t.Fatalf("seed %d: there were %d executions only", seed, len(states))
		}
		for slot, early := range tried {
			if len(early) > 1 {
				t.Errorf("seed %d: %d went first with slot %d", seed, len(early), slot)
			}
		}
	}
}

// A thread that was never executed is claimed by one of those that know each other.
func TestFirstClaim(t *testing.T) {
	t.Parallel()
	now := start()
	a, b := NewKeeper(key(1), Rules{}), NewKeeper(key(2), Rules{})
	for n := range byte(2) { // each has seen the other execute
		for _, k := range []*Keeper{a, b} {
			k.noteSeen(key(100+n), key(1+n), 1, now)
		}
	}
	firsts := [2]int{}
	for n := range byte(100) {
		of := thread.Key{7, n}
		one, two := a.decide(of, thread.Key{}, 0, 0, now), b.decide(of, thread.Key{}, 0, 0, now)
		if one.Now == two.Now {
			t.Fatalf("thread %d is claimed by %v and %v", n, one, two)
		}
		if one.Now {
			firsts[0]++
		} else {
			firsts[1]++
		}
		late := b
		if two.Now {
			late = a
		}
		if d := late.decide(of, thread.Key{}, 0, 2*time.Second, now); !d.Now {
			t.Errorf("thread %d is not claimed by the other when the first is away: %v", n, d)
		}
	}
	if firsts[0] < 30 || firsts[1] < 30 {
		t.Errorf("they go first with %v threads", firsts)
	}
}
