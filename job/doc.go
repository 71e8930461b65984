// Package job holds the words of Orth: what a Job, a Run, an Attempt, a Task
// and an Outcome are, which states they pass through, and the kinds of error
// that travel between rooms.
//
// It knows names, shapes, units and legal moves. It must never know a clock, a
// goroutine, a database, a protocol or a file: every function is pure. Values
// come in from the doors (store, wire, rest) and go out to every room.
//
// # The life of a Run
//
//	planned ──▶ queued ──▶ dispatched ──▶ running ──▶ succeeded
//	   │           │  ▲        │  │ │        │   │    failed
//	   └───────────┼──┼────────┘  │ └─▶ stopping ┴──▶ timed_out
//	               │  └───────────┤          │        cancelled
//	               │        waiting_retry ◀──┘        lost
//	               └────────────────────────────────▶ skipped
//
// planned: the row is committed, the planned time may still be ahead.
// queued: due, and waiting for an executor; the reason says for what.
// dispatched: an attempt row names the executor and the task is on its way.
// running: the executor has durably accepted the task.
// stopping: a user ends it, and its executor has not said that it is over; there
// is no further try.
// waiting_retry: the last attempt failed and another one is due later.
// Everything else is final. [MayMove] holds the one table of legal moves.
//
// Times are instants with millisecond precision, in UTC; durations are
// time.Duration. Ids are positive and never used twice; zero means "none".
package job
