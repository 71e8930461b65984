// Package report makes the executor of threads an executor of an Orth server. Its
// executions appear as runs, with their logs and alarms, and its state appears on a page of
// the console.
//
// It connects the SDK with the service, and decides what to report: a run for each
// execution that ended, and the facts of the whole. It must never know a layout of the
// chain, a node's protocol, or how an execution comes about. Nothing waits for it: the
// ledger keeps reports, in the transaction in which their executions ended, until a server
// has them. The oldest make room when there are too many, and are counted.
//
// # Runs
//
// An execution that has ended, and not before, triggers a job of the server under a key
// that is the execution's own, for this executor alone. The run comes back as a task for
// the handler solana.execute. The handler writes what happened into the run's log, and ends
// as the execution did. So a run takes as long as its report; the stages in its log show
// how long the execution took. So a thousand executions that wait for the chain hold no
// place of the server's, and what the server does not receive costs nothing.
//
// A person who triggers the job with a thread's address has that thread executed now, if it
// is due, and the run lasts until that has ended. The handler solana.redrive retries dead
// letters.
package report
