package observe

import "github.com/orthd/orth/solana/thread"

// Event is one of [ThreadReady], [ThreadChanged], [ThreadGone] and [ClockUpdate].
type Event interface{ event() }

// ThreadReady reports that a thread is due by the chain's clock.
type ThreadReady struct {
	Thread thread.Key
	// State is shared with others: who changes it makes a copy.
	State *thread.Thread
	// TriggerTime is since when it is due, in unix seconds by the chain. Of what waits for a slot, an epoch or an account it is
	// the chain's time at which that was seen.
	TriggerTime int64
	Due         thread.Due
	Slot        uint64 // at which State was so
}

// ThreadChanged reports a newer state of a thread: it was executed, paused, or changed by
// its owner. Work that waits for an older count of executions is superseded.
type ThreadChanged struct {
	Thread thread.Key
	State  *thread.Thread // shared, as that of ThreadReady
	Slot   uint64         // at which State was so
}

// ThreadGone reports that a thread is closed.
type ThreadGone struct {
	Thread thread.Key
	Slot   uint64 // at which it was not there
}

// ClockUpdate is a tick of the chain's clock.
type ClockUpdate struct {
	Slot          uint64
	Epoch         uint64
	UnixTimestamp int64 // seconds
}

func (ThreadReady) event()   {}
func (ThreadChanged) event() {}
func (ThreadGone) event()    {}
func (ClockUpdate) event()   {}
