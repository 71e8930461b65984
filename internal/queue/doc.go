// Package queue is a durable queue of small items that nothing short of a
// broken disk can lose: what was acknowledged is on disk, in exactly one place.
//
// It knows items, places, order, capacity and how many callers share one
// commit. It must never know what an item means, or a protocol. What time it is it
// asks only for its own housekeeping: instants come in as arguments. Functions on a [Tx]
// come in through [Store.Update] and [Store.View]; durable transitions and
// items go out.
//
// # Places
//
//	Push ──▶ scheduled ──Claim, Start──▶ processing ──Ack──▶ remembered ──▶ gone
//	            ▲  │  ▲                   ▲   │  │              ▲      (age, count)
//	            │  │  └──── Nack, Defer ──┼───┘  │              │
//	            │  └──────── Drop ────────┼──────┼──────────────┘
//	            │             PushStarted ┘      │
//	            └───────── Redrive ──── dead ◀───┘ Bury
//	                                     └──Purge, Expire──▶ gone
//
// Amend changes the body of an item where it is. Remove takes a scheduled or
// processing one away and remembers nothing of it.
//
// Fail is Nack, Defer or Bury, according to the queue's retry policy.
//
// # State and journal
//
// The items are in memory: a map of keys, their order by arrival in each place and by
// due, and the keys that finished in the order of their ends. A function of Update
// changes them, and adds what it does to a frame of the journal; see
// [github.com/orthd/orth/internal/queue/journal]. Large bodies, and all beyond a
// bound, are in the journal only. Opening a store does the journal's operations again.
//
// The oldest file of the journal is cleaned when all files are too large, or when it
// has had bodies for some time that are not needed any more: what is needed of it is
// written again behind everything else.
//
// # Group commit
//
// One goroutine writes, see [Store.Run]. It takes all functions that wait, up
// to a limit, runs them one after the other and commits once. A function that fails
// is undone alone. Every caller of a group gets the error of its commit: nothing is
// acknowledged that is not on disk, and a commit that fails is undone, in memory and
// in the journal. When the disk does not let the journal do that, the kind is
// job.Ambiguous. Groups with nothing but changes of [Store.UpdateSoon] are written and
// not forced: they outlive the process, and a power cut soon after.
//
// # Damage
//
// After damage what can be read is kept, and items that were written before it are
// [Item.Uncertain]: their start or their end may be what is lost.
package queue
