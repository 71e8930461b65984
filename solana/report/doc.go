// Package report makes the executor of threads an executor of an Orth server: what it executes appears as runs, with their logs
// and alarms, and what it knows appears on a page of the console.
//
// It connects the SDK with the service, and decides what is told: a run for each execution that ended, the facts of the whole.
// It must never know a layout of the chain, a node's protocol, or how an execution comes about. Nothing waits for it: reports
// are kept by the ledger, in the transaction in which their executions ended, until a server has them. The oldest make room when
// they are too many, and are counted.
//
// # Runs
//
// An execution that has ended, and not before, triggers a job of the server under a key that is the execution's own, for this
// executor alone. The run comes back as a task for the handler solana.execute, which writes what happened into its log and ends
// as the execution did. So a run takes as long as its report; the stages in its log say how long the execution took. A thousand
// executions that wait for the chain hold no place of the server's this way, and what the server does not hear of costs nothing.
//
// A person who triggers the job with a thread's address has that thread executed now, if it is due, and the run lasts until that
// has ended. The handler solana.redrive has dead letters tried again.
package report
