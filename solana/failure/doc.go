// Package failure says what a failed request, simulation or transaction means for an execution, and what is done next.
//
// It knows the errors of nodes and of the chain, and the codes of the thread program. It must never know queues, clocks or
// tries: an error comes in, a [Verdict] goes out, and who asked does what its class says. It judges by structure, never by
// words in a message: every program of the same framework counts its codes from 6000, and programs that call each other
// hand them on, so that a code counts as the thread program's only where the runtime's own log line says that this program
// failed innermost.
package failure
