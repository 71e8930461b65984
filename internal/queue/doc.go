// Package queue is a durable queue of small items that nothing short of a
// broken disk can lose: what was acknowledged is on disk, in exactly one place.
//
// It knows items, places, order, capacity and how many callers share one
// commit. It must never know what an item means, a protocol, a file format of
// a back end, or what time it is: instants come in as arguments. Functions on a [Tx]
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
// Fail is Nack, Defer or Bury, as the queue's retry policy says.
//
// # Five stores
//
// A queue keeps scheduled, processing and dead items, and metadata (where each
// key is, and which keys finished). The fifth store, config, belongs to the
// file: the format's version, the counts of each queue and the caller's own
// small values. Records are versioned and carry a checksum. A damaged one goes
// to a sixth bucket, the quarantine, is counted and reported, and blocks
// nothing.
//
// # Group commit
//
// One goroutine writes, see [Store.Run]. It takes all functions that wait, up
// to a limit, runs them one after the other in one back-end transaction and
// commits once. A function that fails is undone alone. Every caller of a group
// gets the error of its commit: nothing is acknowledged that is not on disk.
// A commit whose fate is unknown has a kind of its own, job.Ambiguous: it may
// have taken effect, so a caller that repeats itself must expect job.Duplicate.
package queue
