// Package ledger keeps the executions of threads that are wanted, so that none is lost and
// none is done twice: their state, their transactions on the way to the chain, those given
// up, and their total profit.
//
// It knows tasks, their places and what may follow what; the transaction of each that is
// under way, with its bytes; retries; accounts of profit and loss; reports of what ended,
// until they are delivered. It must never know how an execution is built or sent, a node,
// or a clock: instants come in as arguments, decisions come in with reasons. Transitions go
// to disk, each in one transaction of internal/queue.
//
// # Places
//
//	Offer ──▶ scheduled ──Start──▶ processing ──Settle──▶ done, remembered when it was executed
//	            │  ▲  ▲                │  │
//	            │  │  └────Postpone────┘  │
//	            │  └──Redrive──┐          │
//	            └────Bury──▶ dead ◀──Bury─┘
//
// A task is in processing exactly while a transaction of it may be on the wire: Start
// writes the signed bytes before the first of them is sent. A task whose transaction is
// merely being built is still scheduled, and a crash does not change that. So a task found
// in processing after a crash has a signature whose fate can be read, and nothing is sent
// for its thread before it is known.
package ledger
