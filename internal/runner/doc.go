// Package runner runs the tasks of an executor: the step between its durable
// queue and its outbox.
//
// It knows lanes, timeouts, cancelling, crashes and what an attempt's end
// means. It must never know a protocol, a server's address, how handlers are
// registered or how a log is kept. Tasks come in through [Runner.Accept];
// outcomes go out through the [Outbox], in the same transaction that ends the
// task.
//
// # Lanes
//
// Each job has a lane: the row of its tasks, in the order they were accepted.
// What becomes of a task that meets a busy lane is decided by its overlap; the
// overlaps are values, one to a file. A lane has no goroutine: an idle lane is a small
// value that waits for its end. Its handler is prepared before the first task and
// destroyed with the lane.
//
// Goroutines run the tasks of all lanes and store their ends, many in one transaction.
// Before one calls a handler it wakes another for what is left to do, so tasks never wait
// for a handler that is not their own.
//
// A task may come before its time: then it waits in its lane until that has come, and is passed
// by those that may begin. It counts as any that waits, and after a crash it does not begin
// early either.
//
// Tasks that run side by side have one shape: the same handler, the same version
// of a script and the same number of slots. A task of another shape begins when
// those before it have ended, so a change of the job kills nothing.
//
// # Ending a task before its time
//
// Its context is cancelled. A handler that has not returned after the grace is
// reported as still running: it cannot be stopped, keeps its slot until it
// returns, and is counted.
//
// # Where a task is
//
//	Accept ──▶ scheduled ──lane──▶ processing ──mark──▶ handler ──▶ outbox
//	   └────(slot is free)────────────▲
//
// A task is accepted once it is in the store, and only when the outbox has a
// place for its outcome. One for a free slot goes straight into processing, so
// that a single commit lies between the request and its handler. A task in
// processing has started when its mark is there: [Starts] gets the mark before
// the handler is called.
//
// # After a crash
//
// A task that had not started runs after the restart. One that had is
// interrupted: it fails, or runs again when its job allows that, at most three
// times. After a reboot of the machine the marks prove nothing, since they are
// not forced to disk: then every task in processing counts as started. The same
// holds when the store reports damage that has lost records. After the loss of more than
// one transaction every waiting task counts as started as well.
package runner
