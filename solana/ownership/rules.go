package ownership

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"github.com/orthd/orth/solana/thread"
)

// Rules are how executors share threads. The zero value has all defaults. Executors that share threads should have the same.
type Rules struct {
	// TakeoverDelay is how long a thread of another's must be overdue until it is executed here. Defaults to 10 s; below 0 it
	// never is.
	TakeoverDelay time.Duration
	// Stagger is how much longer each next one waits of those who may take over. Defaults to 2 s.
	Stagger time.Duration
	// ClaimDelay is how long a thread that was never executed must be overdue. Defaults to
	// 0.
	ClaimDelay time.Duration
	// LossesToRelease is how many races in a row may be lost against one who does not keep the delay until the thread is his.
	// Defaults to 5.
	LossesToRelease int
	// PeerLife is for how long an executor is thought to live that was seen to execute. Defaults to 10 min.
	PeerLife time.Duration
	// LossLife is for how long a thread that was lost counts for being at capacity. Defaults to 10 min.
	LossLife time.Duration
}

func (r Rules) withDefaults() Rules {
	for d, to := range map[*time.Duration]time.Duration{&r.TakeoverDelay: 10 * time.Second, &r.Stagger: 2 * time.Second, &r.PeerLife: 10 * time.Minute, &r.LossLife: 10 * time.Minute} {
		if *d == 0 {
			*d = to
		}
	}
	r.ClaimDelay, r.Stagger = max(0, r.ClaimDelay), max(0, r.Stagger)
	if r.LossesToRelease <= 0 {
		r.LossesToRelease = 5
	}
	return r
}

// View is what a decision is made of.
type View struct {
	Me      thread.Key
	Last    thread.Key    // the thread's last executor; zero: none
	Overdue time.Duration // since the thread is due by the chain's clock
	// Held is that the thread is not given up although another was last.
	Held bool
	// AtCapacity is that what is held already is more than is done in time.
	AtCapacity bool
	// Rank is how many others go before, of those who would take the thread over or claim it.
	Rank int
}

// Decision is whether a thread is executed now. It is never when neither is so.
type Decision struct {
	Now bool
	// After is how much longer it must be overdue; 0: for ever.
	After time.Duration
}

// Decide decides by the rules.
func (r Rules) Decide(v View) Decision {
	r = r.withDefaults()
	var wait time.Duration
	turn := r.Stagger * time.Duration(max(0, min(v.Rank, mostPeers)))
	switch {
	case v.Last == v.Me && v.Me != (thread.Key{}), v.Held:
		return Decision{Now: true}
	case v.Last == (thread.Key{}):
		wait = r.ClaimDelay + turn
	case r.TakeoverDelay < 0:
		return Decision{}
	default:
		wait = r.TakeoverDelay + turn
	}
	if v.AtCapacity {
		wait += wait / 2
	}
	if v.Overdue >= wait {
		return Decision{Now: true}
	}
	return Decision{After: wait - max(0, v.Overdue)}
}

// weight orders executors for a thread, for everybody alike: the one with the greatest goes before the others.
func weight(of, executor thread.Key) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(of[:])
	_, _ = h.Write(executor[:])
	// The last bytes have not reached all bits yet.
	x := binary.BigEndian.Uint64(h.Sum(nil))
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
