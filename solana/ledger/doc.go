// Package ledger keeps the executions of threads that are wanted, so that none is lost and none is done twice: which there are,
// how far each is, what is on its way to the chain, which were given up, and what all of them have brought.
//
// It knows tasks, their places and what may follow what; the transaction of each that is under way, with its bytes; retries;
// accounts of profit and loss; reports of what ended, until somebody has them. It must never know how an execution is built or sent, a node, or a clock: instants come in as
// arguments, decisions come in with reasons. Transitions go to disk, each in one transaction of internal/queue.
//
// # Places
//
//	Offer ──▶ scheduled ──Start──▶ processing ──Settle──▶ done, remembered when it was executed
//	            │  ▲  ▲                │  │
//	            │  │  └────Postpone────┘  │
//	            │  └──Redrive──┐          │
//	            └────Bury──▶ dead ◀──Bury─┘
//
// A task is in processing exactly while a transaction of it may be on the wire: Start writes the signed bytes before the first
// of them is sent. What is merely being built is scheduled still, and a crash changes nothing of that. So what is found in
// processing after a crash has a signature whose fate can be asked for, and nothing is sent for its thread before it is known.
package ledger
