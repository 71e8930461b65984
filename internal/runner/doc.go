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
// The tasks of one job run one after the other in the order they were
// accepted: the job has a lane. A lane has a goroutine only while it has work.
// An idle lane is a small value that waits for its end; when it ends, its
// handler is destroyed.
//
// # Where a task is
//
//	Accept ──▶ scheduled ──lane──▶ processing ──run log──▶ handler ──▶ outbox
//	   └────(lane is free)────────────▲
//
// A task is accepted once it is in the store. One for a free lane goes straight
// into processing, so that a single commit lies between the request and its
// handler. A task that is in processing has started when its run log exists:
// the log is created before the handler is called.
//
// # After a crash
//
// A task that had not started runs after the restart. One that had is
// interrupted: it fails, or runs again when its job allows that. After a reboot
// of the machine the logs prove nothing, since they are not forced to disk:
// then every task in processing counts as started.
package runner
