// Package failure classifies failed requests, simulations and transactions, and decides the
// next step of an execution.
//
// It knows the errors of nodes and of the chain, and the codes of the thread program. It
// must never know queues, clocks or tries: an error comes in, a [Verdict] goes out, and the
// caller acts on its class. It judges by structure, never by words in a message. Every
// program of the same framework counts its codes from 6000, and programs that call each
// other pass them on. So a code counts as the thread program's only where the runtime's own
// log line names this program as the innermost failure.
package failure
